// max_lease: after a server lost its data nothing new is granted until every lease that it may have
// forgotten has ended, while holders make theirs again (P1b, P3).

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class redis_grace : public redis_fault {
protected:
    static constexpr milliseconds max_lease = 1s;
    /// 1.02 * max_lease + 1 s.
    static constexpr milliseconds grace = 2020ms;

    [[nodiscard]] client fleet(const std::string& more = {}) const {
        return connect("?max_lease=1s" + more, {.connect_wait = 10s});
    }
    /// A lock of a client that waits for the grace period of a server that was just started.
    [[nodiscard]] static lease first_lock(client& from, std::string_view name = "first") {
        return mutex{from, std::string{name}, {.lease = max_lease}}.acquire();
    }
};

TEST_F(redis_grace, delays_the_first_lock_of_a_server_that_was_just_started) {
    auto here = fleet();
    const stopwatch watch;
    const auto hold = first_lock(here);
    EXPECT_GT(watch.elapsed(), grace - 500ms) << "it may have been restarted and lost leases";
    const stopwatch again;
    { const auto other = first_lock(here, "second"); }
    auto there = fleet();
    { const auto other = first_lock(there, "third"); }
    EXPECT_LT(again.elapsed(), scaled(500ms)) << "once is enough, for all";
}

TEST_F(redis_grace, is_told_to_a_try) {
    auto here = fleet();
    const auto failure = complaint_of([&] {
        (void)mutex{here, "stock", {.lease = max_lease}}.try_lock();
    });
    EXPECT_EQ(failure.code, errc::unavailable) << "nobody knows whether it is held";
    EXPECT_THAT(failure.text, HasSubstr("grants nothing new"));
}

TEST_F(redis_grace, keeps_the_lock_of_a_holder_whose_data_was_flushed) {
    auto here = fleet();
    auto there = fleet();
    auto hold = first_lock(here, "stock");
    const auto token = hold.token();
    server.flush_all();
    const stopwatch watch;
    auto second = background{[&](std::stop_token stop) {
        return mutex{there, "stock", {.lease = max_lease}}.acquire({.stop = std::move(stop)});
    }};
    while (watch.elapsed() < grace + 1s) {
        ASSERT_TRUE(hold.valid()) << "it was made again";
        ASSERT_FALSE(second.done_within(10ms)) << "P1b: a second holder";
    }
    EXPECT_EQ(stored_token(), token);
    hold.release();
    EXPECT_GT(second.get().token(), token) << "P3";
}

TEST_F(redis_grace, keeps_a_lock_over_a_restart_without_data) {
    auto here = fleet();
    const auto hold = mutex{here, "stock", {.lease = max_lease}}.acquire();
    server.restart();
    auto there = fleet();
    EXPECT_FALSE((mutex{there, "stock", {.lease = max_lease}}.try_acquire_for(grace + 500ms)))
        << "P1b: a second holder";
    EXPECT_TRUE(hold.valid()) << "it was made again";
    EXPECT_EQ(stored_token(), hold.token());
}

TEST_F(redis_grace, lets_a_lock_go_whose_holder_does_not_come_back) {
    auto here = fleet();
    const auto hold = first_lock(here, "stock");
    between.refuse_new();
    between.cut();
    server.flush_all();
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
    between.serve_new();
    client direct{server.url() + "?max_lease=1s", {.connect_wait = 10s}};
    EXPECT_TRUE((mutex{direct, "stock", {.lease = max_lease}}.try_acquire_for(grace + 2s)));
}

TEST_F(redis_grace, keeps_readers_and_permits) {
    auto here = fleet();
    auto there = fleet();
    { const auto warm = first_lock(here); }
    shared_mutex config{here, "config", {.lease = max_lease}};
    const auto reader = config.acquire_shared();
    counting_semaphore slots{here, "slots", 2, {.lease = max_lease}};
    const auto first = slots.acquire();
    const auto second = slots.acquire();
    server.flush_all();
    const stopwatch watch;
    while (watch.elapsed() < grace + 500ms) {
        ASSERT_TRUE(reader.valid());
        ASSERT_TRUE(first.valid());
        ASSERT_TRUE(second.valid());
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_FALSE((shared_mutex{there, "config", {.lease = max_lease}}.try_acquire()));
    EXPECT_FALSE((counting_semaphore{there, "slots", 2, {.lease = max_lease}}.try_acquire()));
}

TEST_F(redis_grace, keeps_permits_above_the_limit_that_their_object_was_made_with) {
    auto here = fleet();
    { const auto warm = first_lock(here); }
    counting_semaphore slots{here, "slots", 2, {.lease = max_lease}};
    slots.resize(4);
    std::vector<lease> held;
    for (int i = 0; i < 4; ++i) { held.push_back(slots.acquire()); }
    server.flush_all(); // the limit that was set is lost as well
    const stopwatch watch;
    while (watch.elapsed() < grace + 500ms) {
        for (const auto& each : held) { ASSERT_TRUE(each.valid()); }
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_FALSE(slots.try_acquire());
}

// A look settled the record, by the rule of a client that knows of no grace period.
TEST_F(redis_grace, is_not_ended_by_the_look_of_a_client_without_max_lease) { // P1
    auto here = fleet();
    { const auto warm = first_lock(here); }
    server.flush_all();
    const stopwatch watch;
    background waiting{[&](std::stop_token stop) {
        return mutex{here, "stock", {.lease = max_lease}}.acquire({.stop = std::move(stop)});
    }};
    const auto operators = direct();
    while (watch.elapsed() < grace - 500ms) {
        const auto seen = admin{operators}.inspect("stock");
        ASSERT_TRUE(!seen || seen->holders.empty());
        ASSERT_FALSE(waiting.done_within(50ms)) << "granted within the grace period";
    }
    EXPECT_GT(waiting.get().token(), 0U);
    EXPECT_GT(watch.elapsed(), grace - 500ms);
}

TEST_F(redis_grace, refuses_a_longer_lease_and_another_max_lease) {
    auto here = fleet();
    { const auto warm = first_lock(here); }
    const auto too_long = complaint_of([&] {
        (void)mutex{here, "stock", {.lease = 2s}}.try_acquire();
    });
    EXPECT_EQ(too_long.code, errc::invalid_option);
    EXPECT_THAT(too_long.text, HasSubstr("max_lease"));
    client other{server.url() + "?max_lease=3s", {.connect_wait = 1s}};
    const auto differs = complaint_of([&] {
        (void)mutex{other, "stock", {.lease = 1s}}.try_acquire_for(1s);
    });
    EXPECT_EQ(differs.code, errc::invalid_option) << differs.text;
    EXPECT_THAT(differs.text, HasSubstr("max_lease is 1000 ms there"));
}

TEST_F(redis_grace, does_not_bring_back_a_lock_that_was_released) {
    auto here = fleet();
    auto there = fleet();
    auto hold = first_lock(here, "stock");
    const auto token = hold.token();
    server.flush_all();
    hold.release();
    EXPECT_EQ(stored_token(), token) << "P3: tokens rise from there";
    const auto next = mutex{there, "stock", {.lease = max_lease}}.try_acquire_for(grace + 2s);
    ASSERT_TRUE(next);
    EXPECT_GT(next->token(), token);
}

TEST_F(redis_grace, is_named_by_a_downgrade_that_it_forbids) {
    auto here = fleet();
    { const auto warm = first_lock(here); }
    shared_mutex prices{here, "prices", {.lease = 800ms}};
    prices.lock();
    const auto refused = complaint_of([&] { prices.downgrade(); });
    EXPECT_EQ(refused.code, errc::unsupported);
    EXPECT_THAT(refused.text, HasSubstr("max_lease"));
    EXPECT_TRUE(prices.valid());
    prices.unlock();
}

} // namespace
} // namespace holdfast::test
