// A latch in layout::redisson: the keys and messages of Redisson's count-down latch. The test acts
// as Redisson by raw commands; interop/ has the real one.

// compiled alone: other files of the folder have constants of the same names

#include "fault/redis_fixture.hpp"
#include "support/background.hpp"

namespace holdfast::test {
namespace {

const std::string latch_messages = "redisson_countdownlatch__channel__{ready}";
const std::string arrivals = "redisson_countdownlatch_arrivals:{ready}";

class redisson_latch : public redis_fault {
protected:
    [[nodiscard]] std::string missing() {
        const auto got = server.command({"GET", "ready"});
        return got.is_nil() ? "none" : got.string();
    }
    /// What Redisson's countDown does.
    void count_down_as_java() {
        const auto left = server.command({"DECR", "ready"}).number();
        if (left <= 0) { server.command({"DEL", "ready"}); }
        if (left == 0) { server.command({"PUBLISH", latch_messages, "0"}); }
    }

    client here{server.url() + "?layout=redisson"};
    client there{server.url() + "?layout=redisson"};
    latch ready{here, "ready", 3};
    latch other{there, "ready", 3};
};

TEST_F(redisson_latch, is_the_number_of_missing_arrivals_and_none_when_it_is_open) {
    EXPECT_FALSE(ready.try_wait());
    EXPECT_EQ(missing(), "3") << "the first use sets it, as trySetCount does";
    ready.count_down();
    other.count_down();
    EXPECT_EQ(missing(), "1");
    EXPECT_EQ(ready.remaining(), 1U);
    other.count_down();
    EXPECT_EQ(missing(), "none");
    EXPECT_TRUE(ready.try_wait());
    EXPECT_TRUE(other.try_wait()) << "it stays open";
    ready.count_down();
    EXPECT_EQ(missing(), "none") << "a further arrival does not begin a new one";
    EXPECT_EQ(keys(), std::vector<std::string>{arrivals});
}

TEST_F(redisson_latch, shares_the_count_that_java_has_set) {
    server.command({"SET", "ready", "3"});
    EXPECT_EQ(ready.remaining(), 3U);
    count_down_as_java();
    ready.count_down();
    EXPECT_EQ(ready.remaining(), 1U);
    count_down_as_java();
    EXPECT_TRUE(ready.try_wait());
    ready.reset();
    EXPECT_TRUE(keys().empty());
}

TEST_F(redisson_latch, wakes_our_waiters_when_java_counts_down_and_javas_when_we_do) {
    const background waiting{[&](const std::stop_token& stop) { ready.wait({.stop = stop}); }};
    ASSERT_TRUE(eventually([&] {
        const auto known = server.command({"PUBSUB", "NUMSUB", latch_messages});
        return known.items().at(1).number() == 1;
    }));
    for (int i = 0; i < 2; ++i) { count_down_as_java(); }
    const stopwatch since;
    count_down_as_java();
    EXPECT_TRUE(waiting.done_within(long_wait));
    EXPECT_LT(since.elapsed(), 700ms) << "by its message, not by the next poll";
}

TEST_F(redisson_latch, counts_an_arrival_once_however_often_it_is_sent) { // P5
    auto far = connect("?layout=redisson&timeout=300");
    latch again{far, "ready", 3};
    EXPECT_FALSE(again.try_wait());
    between.drop_answers({.with = call_of(engine::redis::scripts::redisson_latch)});
    again.count_down();
    EXPECT_EQ(missing(), "2");
    ready.count_down(1, {.id = "host-1"});
    other.count_down(1, {.id = "host-1"});
    EXPECT_EQ(missing(), "1");
}

TEST_F(redisson_latch, is_left_alone_by_a_late_reset_of_an_earlier_one) { // P5
    auto far = connect("?layout=redisson&timeout=5000"); // for so long the first request counts
    latch late{far, "ready", 3};
    late.count_down();
    const auto birth = server.command({"HGET", arrivals, "b"}).string();
    between.hold_requests({.with = birth});
    background reset{[&](const std::stop_token&) { late.reset(); }};
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    reset.get();
    ready.count_down();
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_EQ(missing(), "2") << "the arrival was lost";
}

TEST_F(redisson_latch, is_not_begun_by_a_user_who_may_not_write_all_of_it) { // it was open then
    for (const std::string right : {"set", "hset", "pexpire"}) {
        server.command({"ACL", "SETUSER", "locks", "reset", "on", ">secret", "~*", "&*", "+@all",
                        "-" + right});
        client weak{"redis://locks:secret@127.0.0.1:" + std::to_string(server.port()) +
                    "?layout=redisson"};
        latch theirs{weak, "ready", 3};
        std::error_code failure;
        EXPECT_FALSE(theirs.try_wait(failure));
        EXPECT_EQ(failure, errc::store_forbidden) << right;
        EXPECT_TRUE(keys().empty()) << right;
    }
}

// The hash of an earlier latch had expired a moment before its number, which was kept as Java's:
// it expired before the new hash, and that means open.
TEST_F(redisson_latch, is_begun_anew_if_a_number_of_ours_is_left) {
    server.command({"SET", "ready", "1", "PX", "60000"});
    EXPECT_EQ(ready.remaining(), 3U);
    EXPECT_EQ(missing(), "3");
    EXPECT_EQ(server.command({"HGET", arrivals, "c"}).string(), "1") << "it is kept with the hash";
}

TEST_F(redisson_latch, of_another_count_is_an_error_and_of_another_type_is_not_touched) {
    ready.count_down();
    latch wrong{there, "ready", 4};
    std::error_code failure;
    EXPECT_FALSE(wrong.count_down(1, {}, failure));
    EXPECT_EQ(failure, errc::wrong_limit);
    server.command({"HSET", "foreign", "a", "b"});
    latch foreign{here, "foreign", 2};
    EXPECT_FALSE(foreign.count_down(1, {}, failure));
    EXPECT_EQ(failure, errc::store_foreign);
    EXPECT_EQ(server.command({"HGET", "foreign", "a"}).string(), "b");
}

TEST_F(redisson_latch, is_forgotten_after_keep) {
    latch brief{here, "ready", 3, {.keep = 1s}};
    brief.count_down();
    EXPECT_TRUE(eventually([&] { return keys().empty(); }));
}

TEST_F(redisson_latch, is_the_only_cell_of_the_layout) {
    const auto refused = [&](auto make) {
        try {
            make();
        } catch (const error& thrown) { return thrown.code() == errc::unsupported; }
        return false;
    };
    EXPECT_TRUE(refused([&] { (void)barrier{here, "b", 2}; }));
    EXPECT_TRUE(refused([&] { (void)once_flag{here, "o"}; }));
    client fair{server.url() + "?layout=redisson_fair"};
    EXPECT_TRUE(refused([&] { (void)latch{fair, "l", 2}; }));
}

} // namespace
} // namespace holdfast::test
