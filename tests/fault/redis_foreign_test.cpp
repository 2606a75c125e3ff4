// Foreign values under Holdfast's keys: an error that says so, and nothing is changed.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

/// How the foreign value is written.
struct foreign_value {
    std::string name;
    std::vector<std::string> command; ///< after its key
    std::string says;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const foreign_value& value, std::ostream* out) { *out << value.name; }

class redis_foreign_value : public redis_fault, public testing::WithParamInterface<foreign_value> {
protected:
    void put(const std::string& key) {
        auto words = GetParam().command;
        words.insert(words.begin() + 1, key);
        ASSERT_FALSE(server.command(words).is_error());
        kept_ = server.command({"DUMP", key}).text();
    }
    [[nodiscard]] bool untouched(const std::string& key) {
        return server.command({"DUMP", key}).text() == kept_ &&
               server.command({"PTTL", key}).number() == -1;
    }

private:
    std::string kept_;
};

INSTANTIATE_TEST_SUITE_P(
    kinds, redis_foreign_value,
    testing::Values(
        foreign_value{"string", {"SET", "some text"}, "not a lock of this layout"},
        foreign_value{"empty", {"SET", ""}, "not a lock of this layout"},
        foreign_value{"cut_off", {"SET", "hf2x0001"}, "another version"},
        foreign_value{"number", {"SET", "42"}, "not a lock of this layout"},
        foreign_value{
            "uuid", {"SET", "5a7f3c1e-1b2d-4c3e-9f00-aabbccddeeff"}, "not a lock of this layout"},
        foreign_value{"newer", {"SET", "hf3x" + std::string(200, '0')}, "one version of Holdfast"},
        foreign_value{"list", {"RPUSH", "a", "b"}, "holds something else"},
        foreign_value{"hash", {"HSET", "a", "b"}, "holds something else"},
        foreign_value{"zset", {"ZADD", "1", "b"}, "holds something else"},
        foreign_value{"set", {"SADD", "a"}, "holds something else"}),
    [](const auto& value) { return value.param.name; });

TEST_P(redis_foreign_value, under_the_name_is_refused_by_every_operation_and_not_changed) {
    auto here = direct();
    put("hf:{stock}");
    const auto refuses = [&](const char* operation, auto action) {
        const auto complaint = complaint_of(action);
        EXPECT_EQ(complaint.code, errc::store_foreign) << operation << ": " << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr(GetParam().says)) << operation;
        EXPECT_THAT(complaint.text, HasSubstr(std::to_string(server.port()))) << operation;
        EXPECT_TRUE(untouched("hf:{stock}")) << operation;
    };
    refuses("mutex", [&] { (void)mutex{here, "stock"}.try_acquire(); });
    refuses("waiting", [&] { (void)mutex{here, "stock"}.acquire(); });
    refuses("min_hold", [&] { (void)mutex{here, "stock"}.try_acquire({.min_hold = 1s}); });
    refuses("reader", [&] { (void)shared_mutex{here, "stock"}.try_acquire_shared(); });
    refuses("permits", [&] { (void)counting_semaphore{here, "stock", 3}.try_acquire(1); });
    refuses("inspect", [&] { (void)admin{here}.inspect("stock"); });
    refuses("break", [&] { (void)admin{here}.break_lock("stock"); });
    refuses("release", [&] { (void)admin{here}.release("stock", here.id() + ":1"); });
    refuses("renew", [&] { (void)admin{here}.renew("stock", here.id() + ":1", 10s); });
    EXPECT_EQ(keys(), std::vector<std::string>{"hf:{stock}"});
    EXPECT_TRUE(admin{here}.list().locks.empty()) << "a list leaves it out";
}

TEST_P(redis_foreign_value, that_replaces_a_hold_is_a_loss_signalled_in_time) { // P2
    const auto watch = std::make_shared<recording_observer>();
    client here{server.url(), {.observer = watch}};
    auto held = mutex{here, "stock"}.acquire({.lease = scaled(600ms)});
    server.command({"DEL", "hf:{stock}"});
    put("hf:{stock}");
    ASSERT_TRUE(watch->await(event::kind::lost));
    EXPECT_FALSE(held.valid());
    const auto told = watch->first(event::kind::renewal_failed);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error, errc::store_foreign);
    EXPECT_THAT(told->detail, HasSubstr(GetParam().says));
    static_cast<void>(held.release());
    EXPECT_TRUE(untouched("hf:{stock}"));
}

class redis_foreign_helper : public redis_foreign_value {};

INSTANTIATE_TEST_SUITE_P(kinds, redis_foreign_helper,
                         testing::Values(foreign_value{"string", {"SET", "some text"}, ""},
                                         foreign_value{"list", {"RPUSH", "a", "b"}, ""}),
                         [](const auto& value) { return value.param.name; });

TEST_P(redis_foreign_helper, where_the_queue_would_be_is_not_changed_and_the_holder_continues) {
    auto here = direct();
    auto other = direct();
    for (const std::string key : {"hf:{stock}:q", "hf:{stock}:w"}) {
        auto held = mutex{here, "stock"}.acquire();
        put(key);
        const auto complaint = complaint_of([&] { (void)mutex{other, "stock"}.acquire(); });
        EXPECT_EQ(complaint.code, errc::store_foreign) << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("its queue"));
        EXPECT_TRUE(untouched(key));
        EXPECT_TRUE(held.valid());
        EXPECT_EQ(held.release(), release_answer::released);
        server.command({"DEL", key});
    }
}

TEST_P(redis_foreign_helper, where_the_holders_would_be_is_not_changed) {
    auto here = direct();
    for (const std::string key : {"hf:{stock}:h", "hf:{stock}:d"}) {
        put(key);
        const auto complaint = complaint_of([&] {
            (void)shared_mutex{here, "stock"}.try_acquire_shared();
        });
        EXPECT_EQ(complaint.code, errc::store_foreign) << complaint.text;
        EXPECT_THAT(complaint.text, HasSubstr("its holders"));
        EXPECT_TRUE(untouched(key));
        server.command({"DEL", key});
    }
}

} // namespace
} // namespace holdfast::test
