// client::metrics() counts what happens, the same on every engine.
#include "contract/contract.hpp"

#include <holdfast/admin.hpp>

#include <stop_token>
#include <thread>

namespace {

using namespace holdfast::test;

HOLDFAST_CONTRACT(counted);

TEST_P(counted, an_acquire_its_hold_and_its_release) {
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    {
        const auto held = stock.acquire();
        EXPECT_EQ(fleet.metrics().acquires.granted, 1U);
        EXPECT_EQ(fleet.metrics().holds_now, 1U);
        std::this_thread::sleep_for(5ms);
    }
    const auto seen = fleet.metrics();
    EXPECT_EQ(seen.holds_now, 0U);
    EXPECT_EQ(seen.hold_time.count(), 1U);
    EXPECT_GE(seen.hold_time.sum, 5ms);
    EXPECT_EQ(seen.wait_time.count(), 1U);
    EXPECT_EQ(seen.waits, 0U);
    EXPECT_EQ(seen.losses.expired + seen.losses.taken, 0U);
    EXPECT_TRUE(eventually([&] { return fleet.metrics().releases.released == 1; }));
}

TEST_P(counted, a_lock_that_is_busy_and_a_wait_that_times_out) {
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    holdfast::mutex theirs{rival, "stock"};
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_EQ(rival.metrics().acquires.busy, 1U);
    EXPECT_EQ(rival.metrics().waits, 0U) << "a try does not wait";
    EXPECT_FALSE(theirs.try_acquire_for(scaled(150ms)));
    const auto seen = rival.metrics();
    EXPECT_EQ(seen.acquires.timed_out, 1U);
    EXPECT_EQ(seen.waits, 1U);
    EXPECT_EQ(seen.waits_now, 0U);
    EXPECT_EQ(seen.acquires.granted, 0U);
}

TEST_P(counted, a_wait_while_it_lasts_and_its_time) {
    auto fleet = connect();
    auto rival = connect();
    std::optional held{holdfast::mutex{fleet, "stock"}.acquire()};
    background<void> waiter{[&](const std::stop_token& stop) {
        holdfast::mutex{rival, "stock"}.acquire({.stop = stop}).release();
    }};
    ASSERT_TRUE(eventually([&] { return rival.metrics().waits_now == 1; }));
    std::this_thread::sleep_for(20ms);
    held->release();
    waiter.get();
    const auto seen = rival.metrics();
    EXPECT_EQ(seen.waits, 1U);
    EXPECT_EQ(seen.waits_now, 0U);
    EXPECT_EQ(seen.acquires.granted, 1U);
    EXPECT_GE(seen.wait_time.sum, 20ms);
    if (can().pushes_grants && can().queue == holdfast::engine::queueing::grant) {
        EXPECT_EQ(seen.hand_offs, 1U);
        EXPECT_EQ(fleet.metrics().releases.handed_off, 1U);
    }
}

TEST_P(counted, a_renewal_and_a_loss_by_expiry) { // P2
    auto fleet = connect();
    {
        const auto renewed = holdfast::mutex{fleet, "renewed"}.acquire({.lease = short_lease});
        EXPECT_TRUE(eventually([&] { return fleet.metrics().renewals.renewed > 0; }));
    }
    const auto held =
        holdfast::mutex{fleet, "stock"}.acquire({.lease = short_lease, .renew = false});
    EXPECT_TRUE(eventually([&] { return fleet.metrics().losses.expired == 1; }));
    EXPECT_EQ(fleet.metrics().losses.taken, 0U);
    EXPECT_EQ(fleet.metrics().holds_now, 0U);
}

TEST_P(counted, a_loss_by_break) {
    auto fleet = connect();
    auto operator_client = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = scaled(2s)});
    EXPECT_TRUE(holdfast::admin{operator_client}.break_lock("stock"));
    EXPECT_TRUE(eventually([&] { return fleet.metrics().losses.taken == 1; }));
    EXPECT_EQ(fleet.metrics().losses.expired, 0U);
    EXPECT_EQ(fleet.metrics().holds_now, 0U);
}

TEST_P(counted, an_engine_that_does_not_answer) { // P5
    holdfast::client fleet{url(), {.connect_wait = 300ms}};
    const auto held = holdfast::mutex{fleet, "held"}.acquire({.lease = 3s});
    HOLDFAST_HANG_STORE();
    std::error_code failure;
    EXPECT_FALSE((holdfast::mutex{fleet, "stock"}.try_acquire(failure)));
    EXPECT_TRUE(failure);
    EXPECT_EQ(fleet.metrics().acquires.unavailable, 1U);
    EXPECT_TRUE(eventually([&] { // the renewal of `held`
        const auto seen = fleet.metrics();
        return seen.renewals.unknown + seen.renewals.failed > 0;
    }));
    the_store().resume();
}

TEST_P(counted, nothing_if_it_is_switched_off) {
    holdfast::client fleet{url(), {.metrics = false}};
    holdfast::mutex{fleet, "stock"}.acquire().release();
    EXPECT_EQ(fleet.metrics().acquires.granted, 0U);
    EXPECT_EQ(fleet.metrics().hold_time.count(), 0U);
}

} // namespace
