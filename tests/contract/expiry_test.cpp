// P7: a hold that is not renewed ends when its lease expires.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(expiry);

TEST_P(expiry, the_hold_of_a_crashed_holder_ends_with_its_lease) { // P7
    seam_client crashed{url()};
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const stopwatch
        since_asked; // before the grant: no waiter may have it sooner than a lease later
    ASSERT_EQ(crashed.acquire(crashed.ticket("stock"), {.lease = 400ms}).status,
              op_status::granted);
    const stopwatch since_granted;
    const auto lease = stock.try_acquire_for(long_wait);
    EXPECT_TRUE(lease);
    EXPECT_GE(since_asked.elapsed(), 400ms);
    EXPECT_LT(since_granted.elapsed(), 400ms + 1s + scaled(200ms));
}

TEST_P(expiry, a_try_is_granted_when_the_lease_has_ended) { // P7
    seam_client crashed{url()};
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    ASSERT_EQ(crashed.acquire(crashed.ticket("stock"), {.lease = 150ms}).status,
              op_status::granted);
    EXPECT_TRUE(eventually([&] { return stock.try_acquire().has_value(); }, 150ms + scaled(500ms)));
}

TEST_P(expiry, a_lease_that_is_not_renewed_is_lost_and_taken_over) { // P2, P7
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    auto old = holdfast::mutex{fleet, "stock"}.acquire({.lease = 200ms, .renew = false});
    const auto token = old.token();
    const auto next = holdfast::mutex{rival, "stock"}.acquire();

    EXPECT_FALSE(old.valid());
    EXPECT_TRUE(old);
    EXPECT_TRUE(eventually([&] { return old.lost().stop_requested(); }));
    EXPECT_EQ(old.why_lost(), holdfast::loss::expired);
    EXPECT_EQ(old.remaining(), 0ms);
    EXPECT_GT(next.token(), token);
    EXPECT_EQ(old.release(), holdfast::release_answer::already_lost);
    EXPECT_TRUE(next.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
}

TEST_P(expiry, an_expired_hold_cannot_be_renewed_after_another_grant) { // P1a, P2
    seam_client late{url()};
    seam_client prompt{url()};
    const auto old = late.ticket("stock");
    ASSERT_EQ(late.acquire(old, {.lease = 100ms}).status, op_status::granted);
    const auto next = prompt.ticket("stock");
    ASSERT_TRUE(eventually([&] { return prompt.acquire(next).status == op_status::granted; }));
    EXPECT_EQ(late.renew(old).status, op_status::lost);
    EXPECT_EQ(prompt.renew(next).status, op_status::renewed);
}

TEST_P(expiry, a_renewal_counts_from_when_it_is_made) { // P1a
    seam_client holder{url()};
    seam_client rival{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held, {.lease = scaled(300ms)}).status, op_status::granted);
    EXPECT_EQ(holder.renew(held, 10s).status, op_status::renewed);
    EXPECT_TRUE(throughout(scaled(400ms), [&] {
        return rival.acquire(rival.ticket("stock")).status == op_status::busy;
    }));
}

TEST_P(expiry, a_shorter_renewal_makes_it_end_sooner) {
    HOLDFAST_NEEDS(can().shortens);
    seam_client holder{url()};
    seam_client rival{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    EXPECT_EQ(holder.renew(held, 100ms).status, op_status::renewed);
    EXPECT_TRUE(eventually(
        [&] { return rival.acquire(rival.ticket("stock")).status == op_status::granted; },
        100ms + scaled(500ms)));
}

TEST_P(expiry, extend_makes_a_lease_last_longer) { // P2
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = scaled(300ms), .renew = false});
    const auto token = held.token();
    held.extend(20s);
    EXPECT_GT(held.remaining(), 15s);
    EXPECT_TRUE(throughout(scaled(400ms), [&] { return held.valid() && !theirs.try_acquire(); }));
    EXPECT_EQ(held.token(), token);
}

TEST_P(expiry, extend_makes_a_lease_end_sooner) { // P2
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex theirs{rival, "stock"};
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 30s, .renew = false});
    held.extend(200ms);
    EXPECT_LE(held.remaining(), 200ms);
    EXPECT_TRUE(eventually([&] { return !held.valid(); })) << "on this side, whatever the engine";
    HOLDFAST_NEEDS(can().shortens);
    EXPECT_TRUE(theirs.try_acquire_for(long_wait));
}

TEST_P(expiry, extend_of_a_lost_lease_is_an_error) { // P2
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 150ms, .renew = false});
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_EQ(failure_of([&] { held.extend(10s); }), errc::lost);
    std::error_code failure;
    held.extend(10s, failure);
    EXPECT_EQ(failure, errc::lost);
    EXPECT_FALSE(held.valid());
}

TEST_P(expiry, extend_refuses_a_lease_out_of_range) { // P9
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    for (const auto bad : {milliseconds{-1}, 0ms, 99ms, milliseconds{25h}}) {
        std::error_code failure;
        held.extend(bad, failure);
        EXPECT_EQ(failure, errc::invalid_option) << bad.count();
    }
    EXPECT_TRUE(held.valid());
}

} // namespace
