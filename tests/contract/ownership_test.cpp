// P4: only its owner can end or renew a hold.
#include "contract/contract.hpp"

#include <latch>
#include <mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::engine::op_status;
using holdfast::engine::queueing;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(ownership);

TEST_P(ownership, unlock_by_a_thread_that_holds_nothing_only_notifies_the_observer) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    holdfast::mutex stock{fleet, "stock"};
    const std::lock_guard hold{stock};
    std::thread{[&] { stock.unlock(); }}.join();

    const auto told = watch->await(kind::unlock_not_held);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_TRUE(stock.valid());
    EXPECT_FALSE((holdfast::mutex{rival, "stock"}.try_acquire()));
}

TEST_P(ownership, unlock_does_not_end_a_lease_that_was_acquired) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::mutex stock{fleet, "stock"};
    const auto held = stock.acquire();
    stock.unlock();
    EXPECT_TRUE(watch->await(kind::unlock_not_held));
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
}

TEST_P(ownership, a_thread_without_a_hold_has_no_token_and_is_not_valid) { // P4
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const std::lock_guard hold{stock};
    std::thread{[&] {
        EXPECT_FALSE(stock.valid());
        EXPECT_EQ(failure_of([&] { (void)stock.token(); }), errc::not_held);
        EXPECT_EQ(failure_of([&] { (void)stock.lost(); }), errc::not_held);
    }}.join();
    EXPECT_TRUE(stock.valid());
}

TEST_P(ownership, a_thread_that_lost_its_lock_does_not_unlock_the_next_holders) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    holdfast::mutex stock{fleet, "stock", {.lease = 2 * short_lease, .renew = false}};
    std::latch second_holds{1};
    std::latch first_left{1};
    std::optional<std::jthread> second;
    {
        const std::scoped_lock first{stock};
        ASSERT_TRUE(eventually([&] { return stock.lost().stop_requested(); }));
        second.emplace([&] {
            stock.lock();
            second_holds.count_down();
            first_left.wait();
            EXPECT_TRUE(stock.valid());
            EXPECT_FALSE((holdfast::mutex{rival, "stock"}.try_acquire()));
            stock.unlock();
        });
        second_holds.wait();
        EXPECT_FALSE(stock.valid());
    }
    first_left.count_down();
    const auto told = watch->await(kind::unlock_after_loss);
    EXPECT_TRUE(told && told->name == "stock");
}

TEST_P(ownership, a_thread_may_lock_again_after_a_loss_once_it_has_unlocked) { // P4
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock", {.lease = short_lease, .renew = false}};
    stock.lock();
    ASSERT_TRUE(eventually([&] { return !stock.valid(); }));
    stock.unlock();
    EXPECT_TRUE(stock.try_lock_for(long_wait));
    EXPECT_TRUE(stock.valid());
    stock.unlock();
    EXPECT_TRUE(will_be_clear("stock"));
}

TEST_P(ownership, the_destructor_of_a_lost_lease_does_not_release_the_next_hold) { // P4
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex stock{fleet, "stock"};
    std::optional old{stock.acquire({.lease = 120ms, .renew = false})};
    const auto next = holdfast::mutex{rival, "stock"}.acquire();
    old.reset();
    EXPECT_FALSE(stock.try_acquire());
    EXPECT_TRUE(next.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
}

TEST_P(ownership, a_foreign_ticket_cannot_release_renew_or_withdraw_a_hold) { // P4
    seam_client holder{url()};
    seam_client stranger{url()};
    const auto held = holder.ticket("stock");
    const auto token = holder.acquire(held).token;
    // The same number, but another client; and the same client, but another number.
    const auto foreign = stranger.ticket("stock");
    ASSERT_EQ(foreign.owner.number, held.owner.number);
    for (const auto& other : {foreign, holder.ticket("stock")}) {
        EXPECT_EQ(stranger.release(other).status, op_status::not_held);
        EXPECT_EQ(stranger.withdraw(other).status, op_status::not_held);
        EXPECT_EQ(stranger.renew(other).status, op_status::lost);
        EXPECT_EQ(stranger.wait_on(other).status, op_status::lost);
    }
    const auto seen = holder.inspect("stock");
    ASSERT_EQ(seen.holders.size(), 1U);
    EXPECT_EQ(seen.holders.front().token, token);
    EXPECT_EQ(holder.renew(held).status, op_status::renewed);
}

TEST_P(ownership, a_foreign_ticket_cannot_withdraw_a_waiter) { // P4
    HOLDFAST_NEEDS(can().queue == queueing::grant);
    seam_client holder{url()};
    seam_client waiter{url()};
    const auto held = holder.ticket("stock");
    ASSERT_EQ(holder.acquire(held).status, op_status::granted);
    const auto queued = waiter.ticket("stock");
    ASSERT_EQ(waiter.acquire(queued, {.queue = queueing::grant}).status, op_status::queued);
    EXPECT_EQ(holder.withdraw(holder.ticket("stock")).status, op_status::not_held);
    EXPECT_EQ(waiter.wait_on(queued).status, op_status::queued);
}

TEST_P(ownership, destroying_a_mutex_releases_the_holds_of_its_threads) { // P8
    auto fleet = connect();
    {
        holdfast::mutex stock{fleet, "stock"};
        stock.lock();
        EXPECT_EQ(look("stock").holders.size(), 1U);
    }
    EXPECT_TRUE(will_be_clear("stock"));
}

TEST_P(ownership, destroying_a_mutex_keeps_its_leases) { // P4
    auto fleet = connect();
    std::optional<holdfast::mutex> stock;
    stock.emplace(fleet, "stock");
    const auto held = stock->acquire();
    stock.reset();
    EXPECT_TRUE(held.valid());
    EXPECT_EQ(look("stock").holders.size(), 1U);
}

TEST_P(ownership, owners_name_the_client_and_are_never_used_twice) { // P4
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    const auto first = stock.acquire().owner();
    const auto second = stock.acquire().owner();
    EXPECT_TRUE(first.starts_with(fleet.id() + ":")) << first;
    EXPECT_TRUE(second.starts_with(fleet.id() + ":")) << second;
    EXPECT_NE(first, second);
    EXPECT_NE(connect().id(), fleet.id());
}

} // namespace
