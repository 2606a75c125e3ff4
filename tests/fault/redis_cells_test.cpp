// Latches, barriers, once flags and elections when messages are lost, late or come twice (P5).

#include "fault/redis_fixture.hpp"

#include <thread>

namespace holdfast::test {
namespace {

class redis_cells : public redis_fault {
protected:
    void lose_answers(int times = 1) {
        between.drop_answers({.with = call_of(scripts::cell), .times = times});
    }
    /// The action of an arrival, as the first argument of the script.
    const std::string arrival_request = "$1\r\na\r\n";
};

TEST_F(redis_cells, an_arrival_whose_answer_is_lost_counts_once) {
    auto here = connect();
    latch start{here, "start", 3};
    EXPECT_EQ(start.remaining(), 3U); // loads the script
    lose_answers(2);
    start.count_down();
    EXPECT_EQ(between.counts().dropped, 2U);
    EXPECT_EQ(start.remaining(), 2U);
}

// The value was published with connect_wait, five seconds, whatever the caller's time-out.
TEST_F(redis_cells, a_campaign_publishes_within_the_time_of_its_caller) {
    auto here = connect();
    election office{here, "office"};
    (void)office.leader(); // loads the script
    lose_answers(1000);
    std::error_code failure;
    const stopwatch watch;
    EXPECT_FALSE(office.try_campaign_for(300ms, "a", {}, failure));
    EXPECT_TRUE(failure);
    EXPECT_LT(watch.elapsed(), scaled(2s));
}

TEST_F(redis_cells, a_barriers_arrival_that_is_repeated_after_its_phase_counts_once) {
    auto here = connect();
    client there{server.url()};
    barrier mine{here, "round", 2};
    barrier theirs{there, "round", 2};
    (void)theirs.arrive();
    lose_answers(); // of the read; the client repeats it
    between.drop_answers({.with = call_of(scripts::cell), .times = 1});
    const auto arrival = mine.arrive();
    EXPECT_TRUE(mine.wait_for(arrival, 5s));
    const auto next = theirs.arrive();
    EXPECT_FALSE(theirs.wait_for(next, 50ms)) << "the repeated request has counted again";
}

// It read the new phase first, and counted in it, before the participant had done that step.
TEST_F(redis_cells, a_barriers_arrival_that_its_caller_repeats_counts_once) { // P5
    auto here = connect("", {.connect_wait = 500ms});
    const auto there = direct();
    barrier mine{here, "round", 2};
    barrier theirs{there, "round", 2};
    (void)theirs.arrive();
    between.drop_answers({.with = arrival_request, .times = for_good});
    std::error_code failure;
    (void)mine.arrive({}, failure);
    EXPECT_EQ(failure, errc::unknown_outcome);
    between.heal();
    const auto arrival = mine.arrive();
    EXPECT_TRUE(mine.wait_for(arrival, 5s));
    const auto next = theirs.arrive();
    EXPECT_FALSE(theirs.wait_for(next, 50ms)) << "it counted in the next phase as well";
}

// The second attempt is refused for want of memory: that said that nothing had happened.
TEST_F(redis_cells, an_arrival_that_may_have_counted_is_unknown_whatever_a_later_error_says) { // P5
    auto here = connect();
    const auto there = direct();
    latch start{here, "start", 3};
    const latch seen{there, "start", 3};
    EXPECT_EQ(start.remaining(), 3U); // loads the script
    between.hold_answers({.with = call_of(scripts::cell)});
    background counting{[&](const std::stop_token&) {
        std::error_code failure;
        start.count_down(1, {}, failure);
        return failure;
    }};
    ASSERT_TRUE(eventually([&] { return seen.remaining() == 2U; }));
    server.command({"CONFIG", "SET", "maxmemory", "1"});
    between.cut();
    EXPECT_EQ(counting.get(), errc::unknown_outcome);
    server.command({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(seen.remaining(), 2U);
}

// The latch stayed shut for ever: all had arrived, and nobody had opened it.
TEST_F(redis_cells, an_arrival_of_a_user_who_lacks_a_right_changes_nothing) { // P5
    const auto there = direct();
    for (const std::string right : {"pexpire", "hdel", "publish", "hincrby"}) {
        latch start{there, "start-" + right, 2};
        start.count_down(1, {.id = "a"});
        server.command(
            {"ACL", "SETUSER", "weak", "reset", "on", ">secret", "~*", "&*", "+@all", "-" + right});
        client here{"redis://weak:secret@127.0.0.1:" + std::to_string(server.port())};
        latch theirs{here, "start-" + right, 2};
        std::error_code failure;
        theirs.count_down(1, {.id = "b"}, failure);
        EXPECT_EQ(failure, errc::store_forbidden) << right;
        EXPECT_EQ(start.remaining(), 1U) << right;
        start.count_down(1, {.id = "b"});
        EXPECT_TRUE(start.try_wait()) << right;
    }
}

TEST_F(redis_cells, a_late_reset_leaves_a_newer_latch_alone) {
    auto here = connect("?timeout=5000"); // for so long the first request counts
    const auto there = direct();
    latch start{here, "start", 2};
    latch seen{there, "start", 2};
    start.count_down();
    const auto birth = server.command({"HGET", "hf:cell:{latch:start}", "b"}).string();
    between.hold_requests({.with = birth});
    background reset{[&](const std::stop_token&) { start.reset(); }};
    ASSERT_TRUE(eventually([&] { return between.counts().held == 1; }));
    between.cut();
    reset.get();
    seen.count_down();
    server.command({"CONFIG", "RESETSTAT"});
    between.release();
    ASSERT_TRUE(eventually([&] { return server.calls_of("evalsha") > 0; }));
    EXPECT_EQ(seen.remaining(), 1U) << "the arrival was lost";
}

TEST_F(redis_cells, an_arrival_that_is_late_does_not_count) {
    auto here = connect("?timeout=1000", {.connect_wait = 200ms});
    const auto there = direct();
    latch start{here, "start", 2};
    const latch seen{there, "start", 2};
    EXPECT_FALSE(start.try_wait()); // it is connected
    between.hold_requests({.with = call_of(scripts::cell), .times = 1});
    std::error_code failure;
    EXPECT_FALSE(start.count_down(1, {.id = "late"}, failure));
    EXPECT_EQ(failure, errc::unknown_outcome);
    std::this_thread::sleep_for(500ms); // past its not-after
    between.release();
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(seen.remaining(), 2U);
}

TEST_F(redis_cells, a_lost_notice_costs_a_second_at_most) { // P7
    auto here = connect();
    client there{server.url()};
    const latch mine{here, "start", 1};
    latch theirs{there, "start", 1};
    between.drop_pushes({.times = for_good});
    background waiting{
        [&](const std::stop_token& stop) { return mine.wait_for(20s, {.stop = stop}); }};
    std::this_thread::sleep_for(200ms);
    const stopwatch since;
    theirs.count_down();
    EXPECT_TRUE(waiting.get());
    EXPECT_LT(since.elapsed(), scaled(1500ms));
}

TEST_F(redis_cells, a_wait_goes_on_when_the_connection_breaks) {
    auto here = connect();
    client there{server.url()};
    const latch mine{here, "start", 1};
    latch theirs{there, "start", 1};
    background waiting{
        [&](const std::stop_token& stop) { return mine.wait_for(20s, {.stop = stop}); }};
    std::this_thread::sleep_for(100ms);
    between.cut();
    std::this_thread::sleep_for(100ms);
    theirs.count_down();
    EXPECT_TRUE(waiting.get());
}

TEST_F(redis_cells, a_result_whose_answer_is_lost_is_stored_once) {
    auto here = connect();
    once_flag flag{here, "schema-7"};
    int runs = 0;
    const auto result = call_once(flag, [&] {
        ++runs;
        lose_answers();
        return std::string{"done"};
    });
    EXPECT_EQ(result, "done");
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(flag.result(), "done");
}

TEST_F(redis_cells, a_value_that_is_late_does_not_replace_a_newer_one) { // P3
    auto here = connect("?timeout=300");
    client there{server.url()};
    election office{here, "scheduler"};
    auto term = office.campaign("first");
    between.hold_requests({.with = call_of(scripts::cell), .times = 1});
    term.publish("second"); // the first request is held, the repeated one is executed
    term.publish("third");
    between.release();
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ((election{there, "scheduler"}.leader().value), "third");
}

TEST_F(redis_cells, an_arrival_of_unknown_outcome_says_how_to_repeat_it) {
    auto here = connect({}, {.connect_wait = 300ms});
    latch start{here, "start", 3};
    EXPECT_EQ(start.remaining(), 3U); // loads the script
    lose_answers(1000);
    const auto unknown = complaint_of([&] { start.count_down(1, {.id = "host-1"}); });
    EXPECT_EQ(unknown.code, errc::unknown_outcome);
    EXPECT_THAT(unknown.text, testing::HasSubstr("repeat it with the same id"));
    EXPECT_THAT(unknown.text, testing::Not(testing::HasSubstr("renewal")));
}

} // namespace
} // namespace holdfast::test
