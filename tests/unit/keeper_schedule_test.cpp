// When the keeper rests, and when the end of a turn has to wake it.

#include "holdfast/drive/keeper_schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace holdfast::drive {
namespace {

using namespace std::chrono_literals;
using conditions = keeper_schedule::conditions;

constexpr base::instant start{std::chrono::hours{1}};

/// A caller has led since `start`.
conditions led_for(base::duration time) {
    return {.now = start + time, .led = true, .led_since = start};
}

/// The last leader left at `start`.
conditions free_for(base::duration time) { return {.now = start + time, .last_led = start}; }

TEST(keeper_schedule, rests_while_a_caller_leads) {
    auto busy = led_for(10ms);
    EXPECT_TRUE(keeper_schedule::may_rest(busy));
    busy.next_due = start;
    busy.awaits_heartbeat = true;
    EXPECT_TRUE(keeper_schedule::may_rest(busy)) << "the leader handles it";
    EXPECT_EQ(keeper_schedule{}.rest(busy), start + 110ms);
}

TEST(keeper_schedule, rests_longer_while_the_same_caller_leads) {
    EXPECT_EQ(keeper_schedule{}.rest(led_for(99ms)), start + 199ms);
    EXPECT_EQ(keeper_schedule{}.rest(led_for(100ms)), start + 1100ms);
}

TEST(keeper_schedule, rests_briefly_after_the_last_leader_left) {
    EXPECT_TRUE(keeper_schedule::may_rest(free_for(99ms)));
    EXPECT_EQ(keeper_schedule{}.rest(free_for(99ms)), start + 100ms) << "not from now on";
    EXPECT_FALSE(keeper_schedule::may_rest(free_for(100ms)));
}

TEST(keeper_schedule, does_not_rest_beyond_a_timer) {
    auto due = free_for(10ms);
    due.next_due = start + 30ms;
    EXPECT_TRUE(keeper_schedule::may_rest(due));
    EXPECT_EQ(keeper_schedule{}.rest(due), start + 30ms);
    due.next_due = due.now;
    EXPECT_FALSE(keeper_schedule::may_rest(due));
}

TEST(keeper_schedule, does_not_rest_while_a_heartbeat_is_in_flight) {
    auto waits = free_for(10ms);
    waits.awaits_heartbeat = true;
    EXPECT_FALSE(keeper_schedule::may_rest(waits)); // P2
}

TEST(keeper_schedule, wakes_for_a_timer_that_is_due_before_the_rest_ends) {
    keeper_schedule schedule;
    schedule.rest(led_for(0ms)); // until 100 ms
    auto due = free_for(0ms);
    due.next_due = start + 99ms;
    EXPECT_TRUE(schedule.must_wake(due));
    due.next_due = start + 100ms;
    EXPECT_FALSE(schedule.must_wake(due));
    due.awaits_heartbeat = true;
    EXPECT_TRUE(schedule.must_wake(due));
}

TEST(keeper_schedule, does_not_wake_while_a_caller_leads_or_the_keeper_is_awake) {
    keeper_schedule schedule;
    auto due = led_for(0ms);
    due.next_due = start;
    schedule.rest(due);
    EXPECT_FALSE(schedule.must_wake(due));
    auto free = free_for(0ms);
    free.next_due = start;
    schedule.wake();
    EXPECT_FALSE(schedule.must_wake(free));
}

// Otherwise notices could stay unread for up to a second.
TEST(keeper_schedule, wakes_from_a_long_rest_when_the_leader_leaves) {
    keeper_schedule schedule;
    ASSERT_EQ(schedule.rest(led_for(100ms)), start + 1100ms);
    const conditions left{.now = start + 150ms, .last_led = start + 150ms};
    EXPECT_TRUE(schedule.must_wake(left));
    schedule.wake();
    ASSERT_TRUE(keeper_schedule::may_rest(left));
    EXPECT_EQ(schedule.rest(left), start + 250ms);
}

// Otherwise each lock and unlock would wake a thread.
TEST(keeper_schedule, does_not_wake_between_consecutive_callers) {
    keeper_schedule schedule;
    schedule.rest(led_for(0ms));
    for (auto time = 1ms; time < 100ms; ++time) {
        EXPECT_FALSE(schedule.must_wake({.now = start + time, .last_led = start + time}));
    }
}

TEST(keeper_schedule, rests_briefly_while_work_is_due_soon) {
    keeper_schedule schedule;
    schedule.rest(led_for(0ms));
    auto deferred = free_for(0ms);
    deferred.next_due = deferred.now + 1ms; // e.g. a write
    ASSERT_TRUE(schedule.must_wake(deferred));
    schedule.wake();
    EXPECT_EQ(schedule.rest(led_for(1ms)), start + 2ms);
    schedule.wake();
    EXPECT_EQ(schedule.rest(led_for(2ms)), start + 102ms) << "once for each time";
}

} // namespace
} // namespace holdfast::drive
