// A latch across clients.
#include "contract/contract.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::latch;

HOLDFAST_CONTRACT(latches);

TEST_P(latches, open_when_all_have_arrived) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    auto theirs = connect();
    latch here{mine, "start", 3};
    latch there{theirs, "start", 3};
    EXPECT_EQ(there.remaining(), 3U);
    EXPECT_FALSE(there.try_wait());
    here.count_down(2);
    EXPECT_EQ(there.remaining(), 1U);
    EXPECT_FALSE(there.wait_for(20ms));
    EXPECT_FALSE(there.wait_until(std::chrono::steady_clock::now() + 20ms));
    there.count_down();
    EXPECT_TRUE(here.try_wait());
    here.wait();
    EXPECT_EQ(here.remaining(), 0U);
    here.count_down(); // has no effect
    EXPECT_TRUE(there.try_wait());
}

TEST_P(latches, wake_those_that_wait_by_push) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    auto theirs = connect();
    latch here{mine, "start", 1};
    latch there{theirs, "start", 1};
    std::chrono::steady_clock::time_point woken;
    std::jthread waiter{[&] {
        there.wait();
        woken = std::chrono::steady_clock::now();
    }};
    std::this_thread::sleep_for(150ms);
    const auto opened = std::chrono::steady_clock::now();
    here.count_down();
    waiter.join();
    EXPECT_LT(woken - opened, scaled(500ms)) << "it was not woken, but looked by itself";
}

TEST_P(latches, count_an_arrival_with_the_same_id_once) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    auto theirs = connect();
    latch here{mine, "start", 2};
    latch there{theirs, "start", 2};
    here.count_down(1, {.id = "host-1"});
    there.count_down(1, {.id = "host-1"});
    EXPECT_FALSE(here.try_wait());
    there.count_down(1, {.id = "host-2"});
    EXPECT_TRUE(here.try_wait());
}

TEST_P(latches, let_all_meet) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    constexpr unsigned threads = 5;
    std::atomic<unsigned> arrived{0};
    std::atomic<unsigned> early{0};
    {
        std::vector<std::jthread> all;
        for (unsigned i = 0; i < threads; ++i) {
            all.emplace_back([&] {
                auto own = connect();
                latch start{own, "start", threads};
                ++arrived;
                start.arrive_and_wait();
                if (arrived != threads) { ++early; }
            });
        }
    }
    EXPECT_EQ(early.load(), 0U);
}

TEST_P(latches, are_forgotten) { // P8
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    latch start{mine, "start", 1, {.keep = 1s}};
    start.count_down();
    EXPECT_TRUE(start.try_wait());
    EXPECT_TRUE(eventually([&] { return !start.try_wait(); }, 5s));
}

TEST_P(latches, can_be_reset) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    latch start{mine, "start", 1};
    start.count_down(1, {.id = "a"});
    EXPECT_TRUE(start.try_wait());
    start.reset();
    EXPECT_FALSE(start.try_wait());
    start.count_down(1, {.id = "a"});
    EXPECT_TRUE(start.try_wait());
}

TEST_P(latches, can_be_stopped) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    const latch start{mine, "start", 1};
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    EXPECT_EQ(failure_of([&] { start.wait({.stop = stop.get_token()}); }), errc::cancelled);
    EXPECT_FALSE(start.wait_for(10s, {.stop = stop.get_token()}));
    std::error_code failure;
    EXPECT_FALSE(start.wait({.stop = stop.get_token()}, failure));
    EXPECT_EQ(failure, errc::cancelled);
}

TEST_P(latches, say_whether_an_arrival_that_is_stopped_counts) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    latch start{mine, "start", 2};
    std::stop_source early;
    early.request_stop();
    const auto not_sent =
        complaint_of([&] { start.arrive_and_wait(1, {.id = "a", .stop = early.get_token()}); });
    EXPECT_NE(not_sent.find("this call has not arrived"), std::string::npos) << not_sent;
    EXPECT_EQ(failure_of([&] { start.count_down(1, {.id = "a", .stop = early.get_token()}); }),
              errc::cancelled);
    EXPECT_EQ(start.remaining(), 2U);

    std::stop_source late;
    std::jthread stopper{[&] {
        (void)eventually([&] { return start.remaining() == 1; });
        late.request_stop();
    }};
    const auto counted =
        complaint_of([&] { start.arrive_and_wait(1, {.id = "a", .stop = late.get_token()}); });
    EXPECT_NE(counted.find("the arrival counts"), std::string::npos) << counted;
    EXPECT_EQ(start.remaining(), 1U);
}

TEST_P(latches, refuse_what_makes_no_sense) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    latch start{mine, "start", 2};
    start.count_down();
    latch other{mine, "start", 3};
    EXPECT_EQ(failure_of([&] { other.count_down(); }), errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { start.count_down(3); }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { start.count_down(1, {.id = std::string(65, 'x')}); }),
              errc::limit_reached);
    EXPECT_EQ(failure_of([&] { const latch none{mine, "start", 0}; }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { const latch none{mine, "start", 1001}; }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { const latch none{mine, "", 1}; }), errc::invalid_name);
    EXPECT_EQ(failure_of([&] {
                  const latch none{mine, std::string(510, 'x'), 1};
              }),
              errc::invalid_name);
    EXPECT_EQ(failure_of([&] {
                  const latch none{mine, "start", 1, {.keep = 1ms}};
              }),
              errc::invalid_option);
    std::error_code failure;
    EXPECT_FALSE(other.count_down(1, {}, failure));
    EXPECT_EQ(failure, errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { other.wait(); }), errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { (void)other.try_wait(); }), errc::wrong_limit);
    EXPECT_EQ(failure_of([&] { (void)other.remaining(); }), errc::wrong_limit);
    start.count_down();
    EXPECT_EQ(failure_of([&] { other.wait(); }), errc::wrong_limit) << "it is open for 2";
    EXPECT_TRUE(start.try_wait());
    if (can().latches) { return; } // Redisson's latch answers no other count
    EXPECT_EQ(other.state(), (holdfast::latch_state{.expected = 2, .arrived = 2}));
    EXPECT_EQ((latch{mine, "unused", 1}.state()), holdfast::latch_state{});
}

TEST_P(latches, fail_in_time_if_the_engine_cannot_be_reached) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    const auto& dead = GetParam().dead_url;
    if (dead.empty()) { GTEST_SKIP() << "there is no such URL"; }
    const holdfast::client mine{dead, {.connect_wait = 200ms}};
    latch start{mine, "start", 1};
    const stopwatch spent;
    std::error_code failure;
    EXPECT_FALSE(start.try_wait(failure));
    EXPECT_TRUE(failure);
    EXPECT_FALSE(start.wait_for(50ms, {}, failure));
    EXPECT_TRUE(failure);
    EXPECT_FALSE(start.count_down(1, {}, failure));
    EXPECT_TRUE(failure);
    EXPECT_LT(spent.elapsed(), scaled(3s));
}

TEST_P(latches, fail_in_time_if_the_engine_hangs) { // P9
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    const holdfast::client mine{url(), {.connect_wait = 300ms}};
    latch start{mine, "start", 1};
    EXPECT_FALSE(start.try_wait());
    HOLDFAST_HANG_STORE();
    const stopwatch spent;
    std::error_code failure;
    EXPECT_FALSE(start.wait_for(50ms, {}, failure));
    EXPECT_EQ(failure, errc::unavailable);
    EXPECT_FALSE(start.count_down(1, {}, failure));
    EXPECT_TRUE(failure == errc::unknown_outcome || failure == errc::unavailable) << failure;
    EXPECT_LT(spent.elapsed(), scaled(3s));
    the_store().resume();
}

TEST_P(latches, are_refused_with_a_reason_where_they_are_not_safe) {
    if (can().why_no_cells == nullptr || can().latches) { GTEST_SKIP() << "this engine has them"; }
    auto mine = connect();
    EXPECT_EQ(failure_of([&] { const latch none{mine, "start", 1}; }), errc::unsupported);
    EXPECT_NE(complaint_of([&] {
                  const latch none{mine, "start", 1};
              }).find("latch \"start\""),
              std::string::npos);
}

// Readers did not compare it: for them the latch of the others was open, or never opened.
TEST_P(latches, with_another_count_than_that_of_the_others_are_an_error_for_all_calls) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr || can().latches);
    auto mine = connect();
    latch others{mine, "start", 3};
    const latch wrong{mine, "start", 4};
    const auto all_calls_fail = [&] {
        for (const auto& call : std::vector<std::function<void()>>{
                 [&] { (void)wrong.try_wait(); }, [&] { (void)wrong.wait_for(10s); },
                 [&] { wrong.wait(); }, [&] { (void)wrong.remaining(); }}) {
            EXPECT_EQ(failure_of(call), errc::wrong_limit);
            const auto text = complaint_of(call);
            EXPECT_NE(text.find("count of 3; give all its users the same"), std::string::npos)
                << text;
        }
        std::error_code failure;
        EXPECT_FALSE(wrong.try_wait(failure));
        EXPECT_EQ(failure, errc::wrong_limit);
    };
    others.count_down(2);
    all_calls_fail();
    others.count_down();
    EXPECT_TRUE(others.try_wait());
    all_calls_fail(); // also of one that is open
    latch fresh{mine, "start", 4};
    fresh.reset();
    EXPECT_FALSE(fresh.try_wait());
    EXPECT_EQ(fresh.remaining(), 4U);
}

} // namespace
