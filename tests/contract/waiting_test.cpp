// P7, P9: how long a caller waits: not at all, for a time, or until a stop is requested.
#include "contract/contract.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(waiting);

TEST_P(waiting, a_try_returns_at_once) { // P9
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    const auto held = mine.try_acquire();
    ASSERT_TRUE(held);
    EXPECT_LT(quickest_of(3,
                          [&] {
                              const stopwatch watch;
                              EXPECT_FALSE(theirs.try_acquire());
                              return watch.elapsed();
                          }),
              scaled(50ms));
}

TEST_P(waiting, a_timed_try_returns_at_its_time_and_not_before) { // P9
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    const auto timed = [&](auto attempt) {
        return quickest_of(3, [&] {
            const stopwatch watch;
            EXPECT_FALSE(attempt());
            return watch.elapsed();
        });
    };
    for (const auto took :
         {timed([&] { return theirs.try_acquire_for(60ms).has_value(); }),
          timed([&] { return theirs.try_lock_for(60ms); }), timed([&] {
              return theirs.try_acquire_until(std::chrono::steady_clock::now() + 60ms).has_value();
          }),
          timed([&] { return theirs.try_lock_until(std::chrono::system_clock::now() + 60ms); })}) {
        EXPECT_GE(took, 59ms);
        EXPECT_LT(took, 60ms + scaled(100ms));
    }
}

TEST_P(waiting, a_zero_or_past_time_makes_one_try) { // P9
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    EXPECT_TRUE(mine.try_acquire_for(0ms));
    EXPECT_TRUE(mine.try_acquire_for(-1h));
    EXPECT_TRUE(mine.try_acquire_until(std::chrono::system_clock::now() - 1h));
    const auto held = mine.acquire();
    EXPECT_FALSE(theirs.try_acquire_for(0ms));
    EXPECT_FALSE(theirs.try_acquire_for(-1h));
    EXPECT_FALSE(theirs.try_lock_until(std::chrono::steady_clock::now() - 1h));
}

TEST_P(waiting, a_very_short_try_under_contention_is_no_error) { // P5
    // A store that is busy for longer than the time limit of the caller still counts as reachable.
    std::atomic<int> failed{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                auto own = connect();
                own.ping(); // opens the store
                holdfast::mutex stock{own, "stock:" + std::to_string(i % 2)};
                for (int round = 0; round < 60; ++round) {
                    std::error_code failure;
                    (void)stock.try_acquire_for(1us, {}, failure);
                    if (failure) { ++failed; }
                }
            });
        }
    }
    EXPECT_LE(failed.load(), 4 * 60 / 20); // a stalled machine may keep some from being answered
}

TEST_P(waiting, a_waiter_is_granted_soon_after_the_release) { // P7
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    const auto took = quickest_of(3, [&] {
        auto held = mine.acquire();
        background waiter{[&](std::stop_token stop) {
            const auto lease = holdfast::mutex{rival, "stock"}.acquire({.stop = stop});
            return std::chrono::steady_clock::now();
        }};
        EXPECT_TRUE(will_wait("stock", 1));
        const auto released = std::chrono::steady_clock::now();
        held.release();
        return waiter.get() - released;
    });
    // Far below the second that a lost notice may cost: it was woken.
    EXPECT_LT(took, scaled(100ms));
}

TEST_P(waiting, a_timed_try_gets_a_lock_that_is_released_in_time) { // P7
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    auto held = mine.acquire();
    background waiter{
        [&](const std::stop_token&) { return theirs.try_acquire_for(long_wait).has_value(); }};
    ASSERT_TRUE(will_wait("stock", 1));
    held.release();
    EXPECT_TRUE(waiter.get());
}

TEST_P(waiting, a_stop_makes_acquire_fail_with_cancelled_promptly) { // P9
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    const auto took = quickest_of(3, [&] {
        background waiter{[&](std::stop_token stop) {
            const auto code = failure_of([&] { (void)theirs.acquire({.stop = stop}); });
            EXPECT_EQ(code, errc::cancelled);
            return std::chrono::steady_clock::now();
        }};
        EXPECT_TRUE(will_wait("stock", 1));
        const auto asked = std::chrono::steady_clock::now();
        waiter.stop();
        return waiter.get() - asked;
    });
    EXPECT_LT(took, scaled(100ms));
    EXPECT_TRUE(will_wait("stock", 0));
}

TEST_P(waiting, a_stop_makes_a_timed_try_return_empty_promptly) { // P9
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    const auto took = quickest_of(3, [&] {
        background waiter{[&](std::stop_token stop) {
            std::error_code failure = errc::internal;
            EXPECT_FALSE(theirs.try_acquire_for(long_wait, {.stop = stop}, failure));
            EXPECT_FALSE(failure);
            return std::chrono::steady_clock::now();
        }};
        EXPECT_TRUE(will_wait("stock", 1));
        const auto asked = std::chrono::steady_clock::now();
        waiter.stop();
        return waiter.get() - asked;
    });
    EXPECT_LT(took, scaled(100ms));
    EXPECT_TRUE(will_wait("stock", 0));
}

TEST_P(waiting, a_stop_that_was_requested_before_ends_the_wait_at_once) { // P9
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(failure_of([&] { (void)theirs.acquire({.stop = stop.get_token()}); }),
              errc::cancelled);
    std::error_code failure;
    EXPECT_FALSE(theirs.acquire({.stop = stop.get_token()}, failure));
    EXPECT_EQ(failure, errc::cancelled);
    EXPECT_FALSE(theirs.try_acquire_for(long_wait, {.stop = stop.get_token()}));
    EXPECT_FALSE(theirs.try_acquire_until(std::chrono::steady_clock::now() + long_wait,
                                          {.stop = stop.get_token()}));
}

TEST_P(waiting, the_longest_duration_is_for_ever_and_can_be_stopped) { // P9
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    background waiter{[&](std::stop_token stop) {
        return theirs.try_acquire_for(std::chrono::hours::max(), {.stop = stop}).has_value();
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    EXPECT_FALSE(waiter.done_within(20ms));
    waiter.stop();
    EXPECT_FALSE(waiter.get());
}

TEST_P(waiting, a_stop_of_one_waiter_leaves_the_others_waiting) { // P6
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    const auto wait = [&](std::stop_token stop) {
        std::error_code failure;
        return theirs.acquire({.stop = stop}, failure).valid();
    };
    background first{wait};
    ASSERT_TRUE(will_wait("stock", 1));
    background second{wait};
    ASSERT_TRUE(will_wait("stock", 2));
    background three{wait};
    ASSERT_TRUE(will_wait("stock", 3));

    second.stop();
    EXPECT_FALSE(second.get());
    ASSERT_TRUE(will_wait("stock", 2));
    EXPECT_FALSE(first.done());
    EXPECT_FALSE(three.done());
    held.release();
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(three.get());
}

} // namespace
