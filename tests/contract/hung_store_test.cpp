// P9: how long a store that does not answer blocks its callers, with default options; and P8: what
// they left behind is cleaned up when it answers again.
#include "contract/contract.hpp"

#include <latch>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(hung_store);

/// Allows for a busy machine; without the fix it took five seconds.
constexpr milliseconds slack = scaled(700ms);

template <class Action>
[[nodiscard]] milliseconds time_of(Action action) {
    const stopwatch watch;
    action();
    return watch.elapsed();
}

TEST_P(hung_store, does_not_block_unlock_and_destructors) {
    auto fleet = connect();
    holdfast::mutex locked{fleet, "locked"};
    locked.lock();
    std::optional held{holdfast::mutex{fleet, "held"}.acquire()};
    HOLDFAST_HANG_STORE();
    EXPECT_LT(time_of([&] { locked.unlock(); }), 200ms + slack);
    EXPECT_LT(time_of([&] { held.reset(); }), 200ms + slack);
    the_store().resume();
    EXPECT_TRUE(will_be_clear("locked", scaled(4s))) << "its lease is half a minute";
    EXPECT_TRUE(will_be_clear("held", scaled(4s)));
}

TEST_P(hung_store, blocks_the_destructor_of_a_lock_once_not_for_each_reader) {
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    constexpr int count = 16; // one after the other they would take 3.2 s
    auto fleet = connect();
    std::optional<holdfast::shared_mutex> prices{std::in_place, fleet, "prices"};
    std::latch all_hold{count};
    std::vector<std::jthread> readers;
    for (int i = 0; i < count; ++i) {
        readers.emplace_back([&](const std::stop_token& stop) {
            prices->lock_shared();
            all_hold.count_down();
            (void)eventually([&] { return stop.stop_requested(); });
        });
    }
    all_hold.wait();
    HOLDFAST_HANG_STORE();
    EXPECT_LT(time_of([&] { prices.reset(); }), 2s);
    the_store().resume();
    EXPECT_TRUE(will_be_clear("prices", scaled(4s))) << "the releases continue (P8)";
}

TEST_P(hung_store, blocks_a_try_for_a_second_and_a_wait_for_its_time) { // P5
    auto fleet = connect();
    fleet.ping();
    holdfast::mutex stock{fleet, "stock"};
    { const auto once = stock.acquire(); }
    HOLDFAST_HANG_STORE();
    std::error_code failure;
    EXPECT_LT(time_of([&] { (void)stock.try_lock(failure); }), 1s + slack);
    EXPECT_EQ(failure, unreachable());
    EXPECT_LT(time_of([&] { (void)stock.try_lock_for(150ms, failure); }), 150ms + slack);
    EXPECT_EQ(failure, unreachable());
    the_store().resume();
    EXPECT_TRUE(will_be_clear("stock", scaled(4s))) << "nothing is left of them (P8)";
}

TEST_P(hung_store, gets_the_release_before_the_next_acquire_of_the_same_client) {
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    stock.lock();
    HOLDFAST_HANG_STORE();
    stock.unlock();
    background again{[&](const std::stop_token&) {
        std::error_code failure;
        const bool got = stock.try_lock(failure);
        if (got) { stock.unlock(); }
        return std::pair{got, failure};
    }};
    EXPECT_FALSE(again.done_within(30ms));
    the_store().resume();
    const auto [got, failure] = again.get();
    EXPECT_TRUE(got) << failure.message() << ": it did not find its own hold";
}

// It asked for all at once for a second, and then for each for five.
TEST_P(hung_store, blocks_a_lock_of_several_names_for_connect_wait) {
    auto fleet = connect();
    holdfast::mutex first{fleet, "first"};
    holdfast::mutex second{fleet, "second"};
    holdfast::lock_all(first, second);
    holdfast::unlock_all(first, second);
    HOLDFAST_HANG_STORE();
    const auto took = time_of(
        [&] { EXPECT_EQ(failure_of([&] { holdfast::lock_all(first, second); }), unreachable()); });
    EXPECT_LT(took, 5s + slack);
}

// The claim and the result were written with connect_wait, whatever the caller's time-out.
TEST_P(hung_store, blocks_the_result_of_a_call_once_for_a_second) {
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto fleet = connect();
    holdfast::once_flag report{fleet, "report"};
    bool hangs = true;
    std::error_code failure;
    const auto took = time_of([&] {
        const auto run = [&] {
            hangs = the_store().hang();
            return std::string{"done"};
        };
        (void)holdfast::try_call_once_for(report, 300ms, run, {}, failure);
    });
    if (!hangs) { GTEST_SKIP() << "this engine is a part of the process: nothing was tested"; }
    EXPECT_TRUE(failure);
    EXPECT_LT(took, 1s + slack) << "its result gets a second";
}

/// Requests a stop after 100 ms. Returns the error, and fails if the action goes on.
template <class Action>
[[nodiscard]] std::error_code failure_when_stopped(Action action) {
    std::stop_source stop;
    const std::jthread stopper{[&] {
        std::this_thread::sleep_for(100ms);
        stop.request_stop();
    }};
    std::error_code failure;
    const auto took = time_of([&] { failure = failure_of([&] { action(stop.get_token()); }); });
    EXPECT_LT(took, 100ms + slack);
    return failure;
}

// observe() and call_once() went on for connect_wait.
TEST_P(hung_store, does_not_delay_a_stop) { // P9
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto fleet = connect();
    const holdfast::election scheduler{fleet, "scheduler"};
    holdfast::once_flag report{fleet, "report"};
    const holdfast::latch start{fleet, "start", 2};
    holdfast::barrier round{fleet, "round", 2};
    const auto never = [] { return std::string{}; };
    const auto nobody = scheduler.leader();
    HOLDFAST_HANG_STORE();
    EXPECT_EQ(failure_when_stopped([&](const std::stop_token& stop) {
                  scheduler.observe(stop, [](const holdfast::leader_state&) {});
              }),
              std::error_code{});
    EXPECT_EQ(failure_when_stopped([&](const std::stop_token& stop) {
                  (void)scheduler.wait_for_change(nobody, {.stop = stop});
              }),
              errc::cancelled);
    EXPECT_EQ(failure_when_stopped([&](const std::stop_token& stop) {
                  holdfast::call_once(report, never, {.stop = stop});
              }),
              errc::cancelled);
    EXPECT_EQ(failure_when_stopped([&](const std::stop_token& stop) {
                  EXPECT_FALSE(holdfast::try_call_once_for(report, 5s, never, {.stop = stop}));
              }),
              std::error_code{});
    EXPECT_EQ(
        failure_when_stopped([&](const std::stop_token& stop) { start.wait({.stop = stop}); }),
        errc::cancelled);
    EXPECT_EQ(failure_when_stopped(
                  [&](const std::stop_token& stop) { round.arrive_and_wait({.stop = stop}); }),
              errc::cancelled);
}

// It was "cancelled", whether its request was on its way or not.
TEST_P(hung_store, leaves_an_arrival_that_is_stopped_in_doubt_if_it_was_sent) { // P5
    HOLDFAST_NEEDS(can().why_no_cells == nullptr);
    auto fleet = connect();
    holdfast::latch start{fleet, "start", 2};
    EXPECT_EQ(start.remaining(), 2U);
    HOLDFAST_HANG_STORE();
    const auto failure = failure_when_stopped(
        [&](const std::stop_token& stop) { start.count_down(1, {.id = "a", .stop = stop}); });
    the_store().resume();
    if (failure == errc::cancelled) {
        EXPECT_TRUE(throughout(200ms, [&] { return start.remaining() == 2; }));
    } else {
        EXPECT_EQ(failure, errc::unknown_outcome);
    }
    start.count_down(1, {.id = "a"});
    EXPECT_EQ(start.remaining(), 1U);
}

} // namespace
