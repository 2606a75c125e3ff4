// counting_semaphore::resize: another limit for all users of a name.
#include "contract/contract.hpp"

#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::mode;
using holdfast::primitive;
using holdfast::engine::op_status;
using holdfast::engine::queueing;
using holdfast::engine::resize_op;

HOLDFAST_CONTRACT(resize);

[[nodiscard]] request some(unsigned count, unsigned limit) {
    return {.kind = primitive::semaphore,
            .mode = mode::permits,
            .permits = count,
            .limit = limit,
            .queue = queueing::grant};
}

TEST_P(resize, counts_for_all_users_whatever_limit_they_were_made_with) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    auto first = connect();
    auto second = connect();
    holdfast::counting_semaphore mine{first, "slots", 2};
    holdfast::counting_semaphore theirs{second, "slots", 2};
    const auto held = theirs.acquire(2);
    EXPECT_FALSE(theirs.try_acquire());
    mine.resize(4);
    EXPECT_EQ(mine.available(), 2U);
    EXPECT_EQ(theirs.available(), 2U);
    const auto more = theirs.acquire();
    holdfast::counting_semaphore later{second, "slots", 7};
    const auto last = later.try_acquire();
    EXPECT_TRUE(last);
    EXPECT_FALSE(mine.try_acquire());
    const auto seen = look("slots");
    EXPECT_EQ(seen.limit, 4U);
    EXPECT_TRUE(seen.resized);
}

TEST_P(resize, to_less_lets_holders_keep_their_permits) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 4};
    auto held = slots.acquire(3);
    auto other = slots.acquire();
    slots.resize(2);
    EXPECT_TRUE(held.valid());
    held.extend(10s);
    EXPECT_EQ(slots.available(), 0U) << "never below 0";
    EXPECT_FALSE(slots.try_acquire());
    other.release();
    EXPECT_FALSE(slots.try_acquire()) << "three are out still";
    held.release();
    EXPECT_EQ(slots.available(), 2U);
    const auto both = slots.try_acquire(2);
    EXPECT_TRUE(both);
    EXPECT_FALSE(slots.try_acquire());
}

TEST_P(resize, to_more_grants_waiters_in_their_order_in_the_same_step) { // P6
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    seam_client all{url()};
    const auto held = all.ticket("slots");
    const auto large = all.ticket("slots");
    const auto small = all.ticket("slots");
    const auto last = all.ticket("slots");
    ASSERT_EQ(all.acquire(held, some(2, 2)).status, op_status::granted);
    ASSERT_EQ(all.acquire(large, some(2, 2)).status, op_status::queued);
    ASSERT_EQ(all.acquire(small, some(1, 2)).status, op_status::queued);
    ASSERT_EQ(all.acquire(last, some(1, 2)).status, op_status::queued);
    const auto grown = all.ask(resize_op{.ticket = all.ticket("slots"), .limit = 5});
    ASSERT_EQ(grown.status, op_status::reported);
    EXPECT_TRUE(grown.report->applied);
    EXPECT_EQ(all.wait_on(large).status, op_status::granted);
    EXPECT_EQ(all.wait_on(small).status, op_status::granted);
    EXPECT_EQ(all.wait_on(last).status, op_status::queued);
    EXPECT_EQ(all.release(held).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(last).status, op_status::granted);
}

TEST_P(resize, fails_waiters_that_want_more_than_there_are_and_serves_those_behind_them) { // P6
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    auto fleet = connect();
    auto others = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 4};
    auto held = slots.acquire(2);
    std::jthread greedy{[&] {
        holdfast::counting_semaphore own{others, "slots", 4};
        std::error_code failure;
        EXPECT_FALSE(own.acquire(3, failure));
        EXPECT_EQ(failure, errc::invalid_option);
    }};
    ASSERT_TRUE(eventually([&] { return waiters_of("slots") == 1; }));
    slots.resize(2);
    greedy.join();
    EXPECT_FALSE(slots.try_acquire());
    held.release();
    EXPECT_TRUE(slots.try_acquire(2)) << "nobody is in the way";
    const auto complaint = complaint_of([&] { (void)slots.acquire(3); });
    EXPECT_NE(complaint.find("permits"), std::string::npos) << complaint;
    EXPECT_NE(complaint.find('2'), std::string::npos) << "it names the limit: " << complaint;
}

TEST_P(resize, stays_when_nobody_uses_the_semaphore) {
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 2};
    slots.resize(3);
    EXPECT_EQ(slots.available(), 3U) << "also of one that was never used";
    { const auto held = slots.acquire(3); }
    EXPECT_EQ(slots.available(), 3U);
    auto other = connect();
    holdfast::counting_semaphore same{other, "slots", 2};
    const auto again = same.try_acquire(3);
    EXPECT_TRUE(again);
    same.resize(2);
    EXPECT_EQ(slots.available(), 0U);
}

TEST_P(resize, that_comes_late_or_twice_does_not_undo_a_newer_one) { // P5
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    seam_client all{url()};
    const auto looked = all.ask(resize_op{.ticket = all.ticket("slots")});
    ASSERT_EQ(looked.status, op_status::reported);
    EXPECT_EQ(looked.report->limit, 0U);
    const resize_op first{.ticket = all.ticket("slots"), .limit = 5};
    const auto done = all.ask(first);
    ASSERT_TRUE(done.report->applied);
    const auto repeated = all.ask(first);
    EXPECT_TRUE(repeated.report->applied);
    EXPECT_EQ(repeated.report->generation, done.report->generation);
    const resize_op second{
        .ticket = all.ticket("slots"), .limit = 2, .generation = done.report->generation};
    const auto newer = all.ask(second);
    EXPECT_TRUE(newer.report->applied);
    EXPECT_GT(newer.report->generation, done.report->generation);
    const auto late = all.ask(first);
    EXPECT_FALSE(late.report->applied);
    EXPECT_EQ(late.report->limit, 2U);
    resize_op expired{
        .ticket = all.ticket("slots"), .limit = 9, .generation = newer.report->generation};
    expired.not_after = holdfast::base::instant{};
    const auto refused = all.ask(expired);
    EXPECT_NE(refused.status, op_status::reported);
    EXPECT_EQ(all.ask(resize_op{.ticket = all.ticket("slots")}).report->limit, 2U);
}

TEST_P(resize, by_two_at_once_ends_with_the_limit_of_one) {
    HOLDFAST_NEEDS(can(primitive::semaphore).resizes);
    auto fleet = connect();
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i <= 4; ++i) {
            threads.emplace_back([this, i] {
                auto own = connect();
                holdfast::counting_semaphore slots{own, "slots", 9};
                for (int round = 0; round < 5; ++round) { slots.resize(i); }
            });
        }
    }
    const auto left = holdfast::counting_semaphore{fleet, "slots", 9}.available();
    EXPECT_GE(left, 1U);
    EXPECT_LE(left, 4U);
}

TEST_P(resize, fails_clearly_where_it_makes_no_sense) {
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 2};
    EXPECT_EQ(failure_of([&] { slots.resize(0); }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { slots.resize(10'001); }), errc::invalid_option);
    EXPECT_EQ(failure_of([&] { slots.resize(-1); }), errc::invalid_option);
    std::error_code failure;
    if (!can(primitive::semaphore).resizes) {
        EXPECT_FALSE(slots.resize(3, failure));
        EXPECT_EQ(failure, errc::unsupported);
        return;
    }
    EXPECT_TRUE(slots.resize(3, failure)) << failure.message();
    holdfast::mutex stock{fleet, "stock"};
    const auto held = stock.acquire();
    holdfast::counting_semaphore wrong{fleet, "stock", 2};
    EXPECT_FALSE(wrong.resize(3, failure));
    EXPECT_EQ(failure, errc::wrong_primitive);
}

} // namespace
