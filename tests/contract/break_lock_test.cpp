// break_lock: the holder is notified, the next waiter is granted, and tokens rise.
#include "contract/contract.hpp"

#include <mutex>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::notice;
using holdfast::engine::op_status;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(breaking);

TEST_P(breaking, a_lock_ends_the_hold_and_notifies_the_holder) { // P2
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 3 * short_lease});
    ASSERT_TRUE(holdfast::admin{rival}.break_lock("stock"));

    // By a notice, or at the next renewal, which is sent within a third of the lease.
    const stopwatch since_break;
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since_break.elapsed(), short_lease + scaled(300ms));
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.why_lost(), holdfast::loss::taken);
    EXPECT_EQ(failure_of([&] { held.extend(10s); }), errc::lost);
    const auto told = watch->await(kind::lost);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_EQ(told->owner, held.owner());
    EXPECT_EQ(told->token, held.token());
    EXPECT_EQ(held.release(), holdfast::release_answer::already_lost);
}

TEST_P(breaking, a_lock_notifies_the_holder_at_once_if_the_engine_sends_notices) { // P2
    HOLDFAST_NEEDS(can().queue == holdfast::engine::queueing::grant);
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire(); // its next renewal is far off
    ASSERT_TRUE(holdfast::admin{rival}.break_lock("stock"));
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }, scaled(1s)));

    seam_client holder{url()};
    seam_client breaker{url()};
    const auto mine = holder.ticket("other");
    const auto token = holder.acquire(mine).token;
    ASSERT_EQ(breaker.break_lock("other").status, op_status::released);
    const auto told = holder.await(notice::kind::broken, mine);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->token, token);
}

TEST_P(breaking, a_lock_frees_it_at_once) { // P1a
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    ASSERT_TRUE(holdfast::admin{rival}.break_lock("stock"));
    EXPECT_TRUE((holdfast::mutex{rival, "stock"}.try_acquire()));
}

TEST_P(breaking, a_lock_grants_the_first_waiter) { // P3, P6
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    background waiter{[&](std::stop_token stop) {
        return holdfast::mutex{rival, "stock"}.acquire({.stop = stop}).token();
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    ASSERT_TRUE(holdfast::admin{fleet}.break_lock("stock"));
    EXPECT_GT(waiter.get(), held.token());
}

TEST_P(breaking, a_free_lock_returns_that_nobody_held_it) {
    auto fleet = connect();
    EXPECT_FALSE(holdfast::admin{fleet}.break_lock("stock"));
    std::error_code failure = errc::internal;
    EXPECT_FALSE(holdfast::admin{fleet}.break_lock("stock", {}, failure));
    EXPECT_FALSE(failure);
}

TEST_P(breaking, only_one_token_keeps_the_other_holds) { // P4
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    const holdfast::admin operators{rival};
    { const auto before = holdfast::mutex{fleet, "stock"}.acquire(); } // whose token is not 0
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    EXPECT_FALSE(operators.break_lock("stock", {.only_token = held.token() - 1}));
    EXPECT_FALSE(operators.break_lock("stock", {.only_token = held.token() + 1}));
    EXPECT_EQ(look("stock").holders.size(), 1U);
    EXPECT_TRUE(held.valid());
    EXPECT_TRUE(operators.break_lock("stock", {.only_token = held.token()}));
    EXPECT_TRUE(look("stock").holders.empty());
}

TEST_P(breaking, one_permit_of_many_keeps_the_others) { // P4
    HOLDFAST_NEEDS(can(holdfast::primitive::semaphore).supported);
    HOLDFAST_NEEDS(can(holdfast::primitive::semaphore).fencing);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 3};
    auto first = slots.acquire();
    auto second = slots.acquire();
    ASSERT_TRUE(holdfast::admin{fleet}.break_lock("slots", {.only_token = first.token()}));
    EXPECT_EQ(look("slots").holders.size(), 1U);
    EXPECT_EQ(second.release(), holdfast::release_answer::released);
    EXPECT_EQ(first.release(), holdfast::release_answer::already_lost);
}

TEST_P(breaking, a_shared_lock_ends_the_holds_of_all_readers) { // P1a
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    auto fleet = connect();
    auto rival = connect();
    holdfast::shared_mutex prices{fleet, "prices", {.lease = 3 * short_lease}};
    const auto first = prices.acquire_shared();
    const auto second = prices.acquire_shared();
    ASSERT_TRUE(holdfast::admin{rival}.break_lock("prices"));
    EXPECT_TRUE((holdfast::shared_mutex{rival, "prices"}.try_acquire()));
    EXPECT_TRUE(eventually([&] { return !first.valid() && !second.valid(); }));
}

TEST_P(breaking, ends_the_lock_of_a_thread_whose_unlock_then_does_nothing) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    std::optional<holdfast::lease> next;
    {
        holdfast::mutex stock{fleet, "stock", {.lease = 3 * short_lease}};
        const std::lock_guard hold{stock};
        ASSERT_TRUE(holdfast::admin{rival}.break_lock("stock"));
        next = holdfast::mutex{rival, "stock"}.try_acquire();
        ASSERT_TRUE(next);
        EXPECT_TRUE(eventually([&] { return !stock.valid(); }));
    }
    EXPECT_TRUE(watch->await(kind::unlock_after_loss));
    EXPECT_EQ(look("stock").holders.size(), 1U);
    EXPECT_TRUE(next->valid());
}

// The waiter asked again for ever, and was answered "busy".
TEST_P(breaking, a_grant_that_its_waiter_has_not_heard_of_ends_its_ticket) { // P7
    HOLDFAST_NEEDS(can().layout == holdfast::layout::native);
    seam_client waiting{url()};
    seam_client rival{url()};
    const request in_line{.queue = can().queue};
    const auto waiter = waiting.ticket("stock");
    if (can().queue == holdfast::engine::queueing::grant) {
        const auto held = rival.ticket("stock");
        ASSERT_EQ(rival.acquire(held).status, op_status::granted);
        ASSERT_EQ(waiting.acquire(waiter, in_line).status, op_status::queued);
        ASSERT_EQ(rival.release(held).status, op_status::handed_off);
    } else {
        ASSERT_EQ(waiting.acquire(waiter, in_line).status, op_status::granted);
    }
    ASSERT_EQ(rival.break_lock("stock").status, op_status::released);
    const auto again = waiting.acquire(waiter, in_line);
    EXPECT_EQ(again.status, op_status::busy);
    EXPECT_TRUE(again.ticket_ended);
    EXPECT_EQ(waiting.acquire(waiting.ticket("stock"), in_line).status, op_status::granted);
}

TEST_P(breaking, is_not_undone_by_a_renewal_or_a_resent_acquire) { // P1a, P5
    seam_client holder{url()};
    seam_client rival{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    ASSERT_EQ(rival.break_lock("stock").status, op_status::released);
    EXPECT_EQ(holder.renew(held).status, op_status::lost);
    EXPECT_EQ(rival.break_lock("stock").status, op_status::not_held);
    EXPECT_TRUE(rival.inspect("stock").holders.empty());
    EXPECT_EQ(holder.release(held).status, op_status::not_held);
}

} // namespace
