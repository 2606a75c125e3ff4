// P8: waiters and holders that time out, die or finish leave nothing behind.
#include "contract/contract.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(cleanup);

const request in_line{.queue = queueing::grant};

TEST_P(cleanup, a_released_lock_is_gone_from_the_list) { // P8
    HOLDFAST_NEEDS(can().lists);
    auto fleet = connect();
    { const auto held = holdfast::mutex{fleet, "stock"}.acquire(); }
    EXPECT_TRUE(holdfast::admin{fleet}.list().locks.empty());
    EXPECT_FALSE(holdfast::admin{fleet}.inspect("stock"));
}

TEST_P(cleanup, a_waiter_that_timed_out_leaves_no_queue_entry) { // P8
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    EXPECT_FALSE(theirs.try_acquire_for(50ms));
    EXPECT_FALSE(theirs.try_lock_for(50ms));
    // Far sooner than its heartbeat times out: it withdrew.
    EXPECT_TRUE(eventually([&] { return waiters_of("stock") == 0; }, scaled(500ms)));
}

TEST_P(cleanup, a_cancelled_waiter_leaves_no_queue_entry) { // P8
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    background waiter{[&](std::stop_token stop) {
        return failure_of([&] { (void)holdfast::mutex{rival, "stock"}.acquire({.stop = stop}); });
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    waiter.stop();
    EXPECT_EQ(waiter.get(), holdfast::errc::cancelled);
    EXPECT_TRUE(eventually([&] { return waiters_of("stock") == 0; }, scaled(500ms)));
}

TEST_P(cleanup, a_try_leaves_no_queue_entry) { // P8
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    EXPECT_FALSE((holdfast::mutex{rival, "stock"}.try_acquire()));
    EXPECT_EQ(waiters_of("stock"), 0U);
}

TEST_P(cleanup, a_crashed_waiter_is_gone_soon_after_its_last_heartbeat) { // P8
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    auto fleet = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    seam_client crashed{url()};
    ASSERT_EQ(crashed.acquire(crashed.ticket("stock"), in_line).status, op_status::queued);
    const stopwatch silent;
    EXPECT_EQ(waiters_of("stock"), 1U);
    EXPECT_TRUE(eventually([&] { return waiters_of("stock") == 0; }));
    EXPECT_LT(silent.elapsed(), holdfast::engine::waiter_timeout + scaled(500ms));
}

TEST_P(cleanup, a_waiter_that_beats_stays) { // P8
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    background waiter{[&](std::stop_token stop) {
        return holdfast::mutex{rival, "stock"}.acquire({.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    const auto owner = look("stock").waiters.at(0).owner;
    EXPECT_TRUE(throughout(holdfast::engine::waiter_timeout + 300ms, [&] {
        const auto seen = look("stock");
        return seen.waiters.size() == 1 && seen.waiters[0].owner == owner;
    }));
    held.release();
    EXPECT_TRUE(waiter.get());
}

TEST_P(cleanup, dead_waiters_ahead_do_not_block_live_ones) { // P6, P8
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client crashed{url()};
    const auto held = crashed.ticket("stock");
    ASSERT_EQ(crashed.acquire(held, {.lease = 30s}).status, op_status::granted);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(crashed.acquire(crashed.ticket("stock"), in_line).status, op_status::queued);
    }
    auto fleet = connect();
    background living{[&](std::stop_token stop) {
        return holdfast::mutex{fleet, "stock"}.acquire({.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("stock", 4));
    ASSERT_TRUE(will_wait("stock", 1));
    const stopwatch since_release;
    crashed.release(held);
    EXPECT_TRUE(living.get());
    EXPECT_LT(since_release.elapsed(), 1s + scaled(200ms));
}

TEST_P(cleanup, a_crashed_holder_is_gone_from_the_list_after_its_lease) { // P7, P8
    HOLDFAST_NEEDS(can().lists);
    seam_client crashed{url()};
    ASSERT_EQ(crashed.acquire(crashed.ticket("stock"), {.lease = 150ms}).status,
              op_status::granted);
    auto fleet = connect();
    EXPECT_EQ(holdfast::admin{fleet}.list().locks.size(), 1U);
    EXPECT_TRUE(will_be_clear("stock", 150ms + scaled(500ms)));
    EXPECT_TRUE(
        eventually([&] { return holdfast::admin{fleet}.list().locks.empty(); }, scaled(500ms)));
}

TEST_P(cleanup, a_release_that_races_a_time_out_leaves_no_grant_behind) { // P5, P8
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    for (int round = 0; round < 25; ++round) {
        auto held = mine.acquire();
        background waiter{[&](const std::stop_token&) {
            return theirs.try_acquire_for(10ms).has_value(); // and releases it, if so
        }};
        std::this_thread::sleep_for(9ms + std::chrono::microseconds{round * 100});
        held.release();
        (void)waiter.get();
        ASSERT_TRUE(will_be_clear("stock", scaled(1s))) << round;
    }
}

TEST_P(cleanup, a_release_that_races_a_stop_leaves_no_grant_behind) { // P5, P8
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    for (int round = 0; round < 25; ++round) {
        auto held = mine.acquire();
        background waiter{[&](std::stop_token stop) {
            std::error_code failure;
            return theirs.acquire({.stop = stop}, failure).valid();
        }};
        ASSERT_TRUE(will_wait("stock", 1));
        std::jthread stopper{[&] { waiter.stop(); }};
        held.release();
        (void)waiter.get();
        ASSERT_TRUE(will_be_clear("stock", scaled(1s))) << round;
    }
}

TEST_P(cleanup, clients_that_come_and_go_do_not_delay_the_others) { // P6, P8
    std::atomic<bool> over{false};
    std::atomic<int> served{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] { // stays
                auto own = connect();
                holdfast::mutex stock{own, "stock"};
                while (!over) {
                    if (const auto held = stock.try_acquire_for(long_wait)) { ++served; }
                }
            });
        }
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&] { // a new client each time, that often gives up
                while (!over) {
                    auto own = connect();
                    std::error_code ignored; // of a try that had no answer in so short a time
                    (void)holdfast::mutex{own, "stock"}.try_acquire_for(2ms, ignored);
                }
            });
        }
        EXPECT_TRUE(eventually([&] { return served.load() >= 200; }));
        over = true;
    }
    EXPECT_GE(served.load(), 200);
    EXPECT_TRUE(will_be_clear("stock", holdfast::engine::waiter_timeout + scaled(1s)));
}

TEST_P(cleanup, a_client_object_that_is_destroyed_while_its_threads_wait_still_serves_them) { // P8
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    std::optional<holdfast::client> doomed{connect()};
    holdfast::mutex theirs{*doomed, "stock"};
    background waiter{[&](std::stop_token stop) { return theirs.acquire({.stop = stop}).valid(); }};
    ASSERT_TRUE(will_wait("stock", 1));
    doomed.reset();
    held.release();
    EXPECT_TRUE(waiter.get());
    EXPECT_TRUE(will_be_clear("stock"));
}

} // namespace
