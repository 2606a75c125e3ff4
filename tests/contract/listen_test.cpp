// queueing::listen: a request is told when the lock may be free, and keeps no place.
#include "contract/contract.hpp"

namespace {

using namespace holdfast::test;
using holdfast::mode;
using holdfast::primitive;
using holdfast::engine::notice;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(listen);

const request listening{.queue = queueing::listen};
constexpr auto maybe_free = notice::kind::maybe_free;

/// Engines without a queue of their own treat listen as hint.
#define HOLDFAST_NEEDS_LISTENERS() HOLDFAST_NEEDS(can().queue == queueing::grant)

TEST_P(listen, takes_a_free_lock) {
    seam_client all{url()};
    EXPECT_EQ(all.acquire(all.ticket("stock"), listening).status, op_status::granted);
}

TEST_P(listen, is_told_of_a_release) {
    seam_client holder{url()};
    seam_client other{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    const auto mine = other.ticket("stock");
    ASSERT_EQ(other.acquire(mine, listening).status, op_status::queued);
    EXPECT_EQ(holder.release(held).status, op_status::released);
    EXPECT_TRUE(other.await(maybe_free, mine));
    EXPECT_EQ(other.acquire(mine, listening).status, op_status::granted);
}

TEST_P(listen, is_told_of_a_withdrawal_and_of_a_break) {
    HOLDFAST_NEEDS_LISTENERS();
    seam_client holder{url()};
    seam_client other{url()};
    for (const bool breaks : {false, true}) {
        const auto name = breaks ? "broken" : "withdrawn";
        const auto held = holder.ticket(name);
        ASSERT_EQ(holder.acquire(held).status, op_status::granted);
        const auto mine = other.ticket(name);
        const auto queued = other.acquire(mine, listening);
        ASSERT_EQ(queued.status, op_status::queued);
        EXPECT_EQ(queued.ahead, 0U);
        EXPECT_GT(queued.check_in, 25s); // when the hold ends
        EXPECT_LE(queued.check_in, 30s);
        (void)(breaks ? holder.break_lock(name) : holder.withdraw_for_now(held));
        EXPECT_TRUE(other.await(maybe_free, mine)) << name;
    }
}

TEST_P(listen, all_are_told_once) {
    HOLDFAST_NEEDS_LISTENERS();
    seam_client holder{url()};
    seam_client other{url()};
    seam_client third{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    const auto one = other.ticket("stock");
    const auto two = other.ticket("stock");
    const auto far = third.ticket("stock");
    for (int twice = 0; twice < 2; ++twice) {
        ASSERT_EQ(other.acquire(one, listening).status, op_status::queued);
        ASSERT_EQ(other.acquire(two, listening).status, op_status::queued);
        ASSERT_EQ(third.acquire(far, listening).status, op_status::queued);
    }
    ASSERT_EQ(holder.release(held).status, op_status::released);
    EXPECT_TRUE(other.await(maybe_free, one));
    EXPECT_TRUE(other.await(maybe_free, two));
    EXPECT_TRUE(third.await(maybe_free, far));
    // Whoever was told listens no more.
    const auto next = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(next).status, op_status::granted);
    ASSERT_EQ(holder.release(next).status, op_status::released);
    other.drive_for(50ms);
    EXPECT_EQ(other.notices(maybe_free, one), 1U);
    EXPECT_EQ(other.notices(maybe_free, two), 1U);
}

TEST_P(listen, keeps_no_place) {
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held, {.lease = 200ms}).status, op_status::granted);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, listening).status, op_status::queued);
    EXPECT_TRUE(all.inspect("stock").waiters.empty());
    EXPECT_EQ(all.wait_on(mine).status, op_status::lost);
    // The hold expires: a newcomer passes the listener, and may use another kind of lock.
    all.drive_for(250ms);
    EXPECT_EQ(all.acquire(all.ticket("stock"), {.kind = primitive::shared_mutex}).status,
              op_status::granted);
}

TEST_P(listen, a_waiter_goes_first) { // P6
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, listening).status, op_status::queued);
    const auto waiter = all.ticket("stock");
    ASSERT_EQ(all.acquire(waiter, {.queue = queueing::grant}).status, op_status::queued);
    EXPECT_EQ(all.inspect("stock").waiters.size(), 1U);
    EXPECT_EQ(all.release(held).status, op_status::handed_off);
    EXPECT_TRUE(all.await(grant_notice(), waiter));
    EXPECT_EQ(all.notices(maybe_free, mine), 0U);
}

TEST_P(listen, a_listener_between_renewals_and_looks_is_still_told) {
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, listening).status, op_status::queued);
    EXPECT_EQ(all.renew(held).status, op_status::renewed);
    EXPECT_EQ(all.inspect("stock").holders.size(), 1U);
    EXPECT_EQ(all.acquire(all.ticket("stock")).status, op_status::busy);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_TRUE(all.await(maybe_free, mine));
}

TEST_P(listen, who_was_withdrawn_is_not_told) {
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, listening).status, op_status::queued);
    EXPECT_EQ(all.withdraw(mine).status, op_status::released);
    EXPECT_EQ(all.withdraw(mine).status, op_status::not_held);
    ASSERT_EQ(all.release(held).status, op_status::released);
    all.drive_for(50ms);
    EXPECT_EQ(all.notices(maybe_free, mine), 0U);
}

TEST_P(listen, is_told_when_the_last_reader_leaves) {
    HOLDFAST_NEEDS_LISTENERS();
    const request reader{.kind = primitive::shared_mutex, .mode = mode::shared};
    seam_client all{url()};
    const auto one = all.ticket("prices");
    const auto two = all.ticket("prices");
    ASSERT_EQ(all.acquire(one, reader).status, op_status::granted);
    ASSERT_EQ(all.acquire(two, reader).status, op_status::granted);
    const auto mine = all.ticket("prices");
    const request writer{.kind = primitive::shared_mutex, .queue = queueing::listen};
    ASSERT_EQ(all.acquire(mine, writer).status, op_status::queued);
    EXPECT_EQ(all.acquire(all.ticket("prices"), reader).status, op_status::granted); // passes it
    EXPECT_EQ(all.break_lock("prices").status, op_status::released);
    EXPECT_TRUE(all.await(maybe_free, mine));
}

TEST_P(listen, more_than_64_are_queued_but_only_64_are_told) { // P9
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    std::vector<holdfast::engine::ticket> tickets;
    for (int i = 0; i < 66; ++i) {
        tickets.push_back(all.ticket("stock"));
        ASSERT_EQ(all.acquire(tickets.back(), listening).status, op_status::queued);
    }
    ASSERT_EQ(all.release(held).status, op_status::released);
    EXPECT_TRUE(all.await(maybe_free, tickets.front()));
    all.drive_for(50ms);
    std::size_t told = 0;
    for (const auto& ticket : tickets) { told += all.notices(maybe_free, ticket); }
    EXPECT_EQ(told, 64U);
}

TEST_P(listen, a_listener_is_dropped_after_3_s) { // P8
    HOLDFAST_NEEDS_LISTENERS();
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto silent = all.ticket("stock");
    ASSERT_EQ(all.acquire(silent, listening).status, op_status::queued);
    all.drive_for(3200ms);
    const auto mine = all.ticket("stock");
    ASSERT_EQ(all.acquire(mine, listening).status, op_status::queued);
    ASSERT_EQ(all.release(held).status, op_status::released);
    EXPECT_TRUE(all.await(maybe_free, mine));
    EXPECT_EQ(all.notices(maybe_free, silent), 0U);
}

} // namespace
