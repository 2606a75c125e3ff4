// P6: first in, first out; a hand-off is atomic; a dead waiter delays others by a bounded time.
#include "contract/contract.hpp"

#include <mutex>

// compiled alone: other files of the folder have helpers of the same names

namespace {

using namespace holdfast::test;
using holdfast::engine::notice;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(fifo);

const request in_line{.queue = queueing::grant};

/// The holders, in the order of their grants.
class order {
public:
    void add(int waiter) {
        const std::lock_guard guard{mutex_};
        order_.push_back(waiter);
    }
    [[nodiscard]] std::vector<int> seen() const {
        const std::lock_guard guard{mutex_};
        return order_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<int> order_;
};

TEST_P(fifo, clients_are_served_in_the_order_of_their_requests) { // P6
    HOLDFAST_NEEDS(can().fifo);
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();

    order served;
    std::vector<std::unique_ptr<background<void>>> waiters;
    for (int i = 0; i < 5; ++i) {
        waiters.push_back(std::make_unique<background<void>>([&, i](std::stop_token stop) {
            auto own = connect();
            const auto lease = holdfast::mutex{own, "stock"}.acquire({.stop = stop});
            served.add(i);
        }));
        ASSERT_TRUE(will_wait("stock", static_cast<std::size_t>(i) + 1));
    }
    held.release();
    for (auto& waiter : waiters) { waiter->get(); }
    EXPECT_EQ(served.seen(), (std::vector{0, 1, 2, 3, 4}));
}

TEST_P(fifo, threads_of_one_client_are_served_in_the_order_of_their_requests) { // P6
    HOLDFAST_NEEDS(can().fifo);
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    auto held = stock.acquire();

    order served;
    std::vector<std::unique_ptr<background<void>>> waiters;
    for (int i = 0; i < 4; ++i) {
        waiters.push_back(std::make_unique<background<void>>([&, i](const std::stop_token&) {
            const std::lock_guard hold{stock};
            served.add(i);
        }));
        ASSERT_TRUE(will_wait("stock", static_cast<std::size_t>(i) + 1));
    }
    held.release();
    for (auto& waiter : waiters) { waiter->get(); }
    EXPECT_EQ(served.seen(), (std::vector{0, 1, 2, 3}));
}

TEST_P(fifo, a_release_grants_the_first_waiter_in_the_same_step) { // P6
    HOLDFAST_NEEDS(can().fifo && can().queue == queueing::grant);
    seam_client holder{url()};
    seam_client next{url()};
    seam_client newcomer{url()};
    const auto held = holder.ticket("stock");
    const auto token = holder.acquire(held).token;
    const auto queued = next.ticket("stock");
    ASSERT_EQ(next.acquire(queued, in_line).status, op_status::queued);

    EXPECT_EQ(holder.release(held).status, op_status::handed_off);
    // The first waiter has sent nothing since, and still nobody passes it.
    EXPECT_EQ(newcomer.acquire(newcomer.ticket("stock")).status, op_status::busy);
    const auto seen = newcomer.inspect("stock");
    ASSERT_EQ(seen.holders.size(), 1U);
    EXPECT_EQ(seen.holders.front().owner, queued.owner.text());

    const auto told = next.await(grant_notice(), queued);
    ASSERT_TRUE(told);
    const auto granted = can().pushes_grants ? told->token : next.wait_on(queued).token;
    EXPECT_GT(granted, token);
    EXPECT_EQ(granted, seen.holders.front().token);
    EXPECT_EQ(next.renew(queued).status, op_status::renewed);
}

TEST_P(fifo, a_waiter_that_missed_its_notice_learns_of_the_grant_by_its_heartbeat) { // P7
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client holder{url()};
    seam_client next{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    const auto queued = next.ticket("stock");
    ASSERT_EQ(next.acquire(queued, in_line).status, op_status::queued);
    EXPECT_EQ(next.wait_on(queued).status, op_status::queued);

    ASSERT_EQ(holder.release(held).status, op_status::handed_off);
    const auto answer = next.wait_on(queued);
    EXPECT_EQ(answer.status, op_status::granted);
    EXPECT_EQ(answer.token, holder.inspect("stock").last_token);
}

TEST_P(fifo, a_newcomer_does_not_pass_waiters) { // P6
    HOLDFAST_NEEDS(can().fifo);
    seam_client holder{url()};
    seam_client first{url()};
    seam_client second{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held, {.lease = 200ms}).status, op_status::granted);
    const auto ticket_1 = first.ticket("stock");
    ASSERT_EQ(first.acquire(ticket_1, in_line).status, op_status::queued);
    const auto ticket_2 = second.ticket("stock");
    const auto answer = second.acquire(ticket_2, in_line);
    ASSERT_EQ(answer.status, op_status::queued);
    EXPECT_EQ(answer.ahead, 1U);

    // The holder's lease expires. The next request is queued behind the first waiter.
    ASSERT_TRUE(eventually([&] { return first.wait_on(ticket_1).status == op_status::granted; }));
    EXPECT_EQ(second.wait_on(ticket_2).status, op_status::queued);
    EXPECT_EQ(holder.acquire(holder.ticket("stock")).status, op_status::busy);
    EXPECT_EQ(first.release(ticket_1).status, op_status::handed_off);
    EXPECT_EQ(second.wait_on(ticket_2).status, op_status::granted);
}

TEST_P(fifo, a_hand_off_to_a_waiter_that_does_not_react_delays_the_next_by_a_bounded_time) { // P6
    HOLDFAST_NEEDS(can().fifo && can().queue == queueing::grant);
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    seam_client deaf{url()};
    ASSERT_EQ(deaf.acquire(deaf.ticket("stock"), in_line).status, op_status::queued);
    background living{[&](std::stop_token stop) {
        auto own = connect();
        return holdfast::mutex{own, "stock"}.acquire({.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("stock", 2));

    const stopwatch since_release;
    held.release();
    EXPECT_TRUE(living.get());
    EXPECT_LT(since_release.elapsed(), holdfast::engine::hand_off_lease + 1s + scaled(500ms));
}

TEST_P(fifo, a_waiter_that_leaves_the_middle_of_the_queue_keeps_the_order) { // P6, P8
    HOLDFAST_NEEDS(can().fifo);
    seam_client all{url()};
    const auto held = all.ticket("stock");
    ASSERT_EQ(all.acquire(held).status, op_status::granted);
    const auto ticket_1 = all.ticket("stock");
    const auto ticket_2 = all.ticket("stock");
    const auto ticket_3 = all.ticket("stock");
    for (const auto& ticket : {ticket_1, ticket_2, ticket_3}) {
        ASSERT_EQ(all.acquire(ticket, in_line).status, op_status::queued);
    }
    EXPECT_EQ(all.withdraw(ticket_2).status, op_status::released);
    EXPECT_EQ(all.release(held).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(ticket_1).status, op_status::granted);
    EXPECT_EQ(all.release(ticket_1).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(ticket_2).status, op_status::lost);
    EXPECT_EQ(all.wait_on(ticket_3).status, op_status::granted);
    EXPECT_EQ(all.release(ticket_3).status, op_status::released);
}

} // namespace
