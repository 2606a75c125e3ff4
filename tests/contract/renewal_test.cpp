// P2: while a holder is alive, its leases are renewed, however short they are.
#include "contract/contract.hpp"

#include <mutex>

namespace {

using namespace holdfast::test;

HOLDFAST_CONTRACT(renewal);

TEST_P(renewal, a_lease_is_renewed_well_past_its_length) { // P2
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = short_lease});
    const auto token = held.token();
    EXPECT_TRUE(throughout(3 * short_lease, [&] { return held.valid() && !theirs.try_acquire(); }));
    EXPECT_EQ(held.token(), token);
    EXPECT_FALSE(held.lost().stop_requested());
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_FALSE(watch->first(holdfast::event::kind::lost));
}

TEST_P(renewal, the_lock_of_a_thread_is_renewed_well_past_its_length) { // P2
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock", {.lease = short_lease}};
    holdfast::mutex theirs{rival, "stock"};
    const std::lock_guard hold{mine};
    EXPECT_TRUE(throughout(3 * short_lease, [&] { return mine.valid() && !theirs.try_acquire(); }));
}

TEST_P(renewal, a_lease_that_was_waited_for_is_renewed) { // P2
    auto fleet = connect();
    auto rival = connect();
    auto first = holdfast::mutex{rival, "stock"}.acquire();
    holdfast::mutex mine{fleet, "stock", {.lease = short_lease}};
    background waiter{[&](std::stop_token stop) { return mine.acquire({.stop = stop}); }};
    ASSERT_TRUE(will_wait("stock", 1));
    first.release();
    const auto held = waiter.get();
    EXPECT_TRUE(throughout(3 * short_lease, [&] { return held.valid(); }));
}

TEST_P(renewal, a_hand_off_is_renewed_past_its_short_first_lease) { // P2, P6
    HOLDFAST_NEEDS(can().queue == holdfast::engine::queueing::grant);
    auto fleet = connect();
    auto rival = connect();
    auto first = holdfast::mutex{rival, "stock"}.acquire();
    holdfast::mutex mine{fleet, "stock"};
    background waiter{
        [&](std::stop_token stop) { return mine.acquire({.lease = 30s, .stop = stop}); }};
    ASSERT_TRUE(will_wait("stock", 1));
    first.release();
    const auto held = waiter.get();
    // Renewed at once: the engine's deadline is the lease's, not the hand-off's.
    EXPECT_TRUE(eventually([&] {
        const auto seen = look("stock");
        return !seen.holders.empty() && seen.holders.front().remaining > 10s;
    }));
    EXPECT_TRUE(eventually([&] { return held.remaining() > 10s; }));
}

TEST_P(renewal, a_hand_off_keeps_the_margin_from_its_first_moment_on) { // P2
    HOLDFAST_NEEDS(can().queue == holdfast::engine::queueing::grant);
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    const auto remaining_after_hand_off = [&](holdfast::acquire_options options) {
        auto first = holdfast::mutex{rival, "stock"}.acquire();
        background waiter{[&](std::stop_token stop) {
            options.stop = std::move(stop);
            return mine.acquire(options).remaining(); // released by this, too
        }};
        EXPECT_TRUE(will_wait("stock", 1));
        first.release();
        return waiter.get();
    };
    // The engine keeps it for 2 s: minus 22 ms of drift, and the margin.
    EXPECT_LE(remaining_after_hand_off({.lease = 2s, .margin = 900ms}), 1078ms);
    // 2 s are less than this margin: it gets its whole lease.
    EXPECT_GT(remaining_after_hand_off({.lease = 60s, .margin = 10s}), 10s);
}

TEST_P(renewal, many_leases_of_one_client_are_all_renewed) { // P2, P9
    auto fleet = connect();
    std::vector<holdfast::lease> held;
    for (int i = 0; i < 60; ++i) {
        held.push_back(holdfast::mutex{fleet, "stock:" + std::to_string(i)}.acquire(
            {.lease = 2 * short_lease}));
    }
    EXPECT_TRUE(throughout(4 * short_lease, [&] {
        return std::ranges::all_of(held, [](const auto& lease) { return lease.valid(); });
    }));
}

TEST_P(renewal, continues_after_the_client_object_is_destroyed) { // P2
    std::optional<holdfast::client> fleet{connect()};
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    holdfast::mutex mine{*fleet, "stock"};
    auto held = mine.acquire({.lease = short_lease});
    fleet.reset();
    EXPECT_TRUE(throughout(3 * short_lease, [&] { return held.valid() && !theirs.try_acquire(); }));
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_TRUE(mine.try_acquire());
}

TEST_P(renewal, uses_the_length_that_extend_set) { // P2
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 30s});
    held.extend(short_lease);
    EXPECT_LE(held.remaining(), short_lease);
    EXPECT_TRUE(throughout(3 * short_lease, [&] {
        return held.valid() && held.remaining() <= short_lease && !theirs.try_acquire();
    }));
}

TEST_P(renewal, ends_with_the_release) { // P8
    auto fleet = connect();
    seam_client rival{url()};
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = short_lease});
    held.release();
    // A renewal that arrives after the release must not restore the hold or affect the next one.
    const auto mine = rival.ticket("stock");
    ASSERT_EQ(rival.acquire(mine).status, holdfast::engine::op_status::granted);
    EXPECT_TRUE(throughout(short_lease, [&] {
        const auto seen = rival.inspect("stock");
        return seen.holders.size() == 1 && seen.holders.front().owner == mine.owner.text();
    }));
}

TEST_P(renewal, stops_when_the_thread_that_locked_has_ended) { // P4, P7
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock", {.lease = 2 * short_lease}};
    std::thread{[&] { mine.lock(); }}.join();

    const auto told = watch->await(holdfast::event::kind::thread_exited);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_EQ(told->token != 0, can().fencing);
    const stopwatch since_exit;
    EXPECT_TRUE((holdfast::mutex{rival, "stock"}.try_acquire_for(long_wait)));
    EXPECT_LT(since_exit.elapsed(), 2 * short_lease + 1s + scaled(200ms));
}

} // namespace
