// local_waiters: which waiter is notified of a release in a layout without a queue.

#include "holdfast/base/random.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/engine/redis/layout/polling/local_waiters.hpp"
#include "holdfast/engine/redis/layout/polling/poll_delay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace {

using namespace std::chrono_literals;
using holdfast::base::instant;
using holdfast::base::jitter;
using holdfast::engine::redis::local_waiters;
using holdfast::engine::redis::poll_delay;
using testing::ElementsAre;
using testing::IsEmpty;

class redis_local_waiters : public testing::Test {
protected:
    std::size_t add(std::uint64_t number, const std::string& channel = "a") {
        return all.add(channel, "lock " + channel, number, now);
    }
    local_waiters all;
    instant now{1h};
};

TEST_F(redis_local_waiters, the_first_waiter_is_notified) {
    EXPECT_EQ(add(7), 0U);
    EXPECT_EQ(add(8), 1U);
    EXPECT_EQ(add(9, "b"), 0U);
    EXPECT_EQ(all.first("a", now), 7U);
    EXPECT_EQ(all.first("a", now), 7U) << "until it has it";
    all.serve("a", 7, now);
    EXPECT_EQ(all.first("a", now), 8U);
    EXPECT_EQ(all.first("b", now), 9U);
    EXPECT_FALSE(all.first("c", now));
}

TEST_F(redis_local_waiters, asking_again_keeps_the_place) {
    add(7);
    add(8);
    EXPECT_EQ(add(7), 0U);
    EXPECT_EQ(add(8), 1U);
    EXPECT_THAT(all.all("a"), ElementsAre(7, 8));
}

TEST_F(redis_local_waiters, when_the_first_leaves_the_next_is_notified) {
    add(7);
    add(8);
    add(9);
    EXPECT_FALSE(all.leave("a", 8, now)) << "it was not the first, so nobody missed anything";
    EXPECT_EQ(all.leave("a", 7, now), 9U);
    EXPECT_FALSE(all.leave("a", 9, now)) << "there is nobody left";
    EXPECT_FALSE(all.leave("a", 9, now));
    EXPECT_FALSE(all.leave("none", 9, now));
}

TEST_F(redis_local_waiters, a_waiter_that_does_not_ask_again_is_dropped) {
    add(7);
    now += holdfast::engine::waiter_timeout / 2;
    add(8);
    now += holdfast::engine::waiter_timeout / 2 + 1ms;
    EXPECT_EQ(all.first("a", now), 8U);
}

TEST_F(redis_local_waiters, a_channel_is_kept_a_moment_longer_than_needed) {
    add(7);
    EXPECT_TRUE(all.any("a"));
    all.serve("a", 7, now);
    EXPECT_FALSE(all.any("a"));
    EXPECT_EQ(all.due(), now + 1s);
    EXPECT_THAT(all.take_idle(now + 999ms), IsEmpty());
    const auto gone = all.take_idle(now + 1s);
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(gone[0].channel, "a");
    EXPECT_EQ(gone[0].name, "lock a");
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.due(), holdfast::base::never);
}

TEST_F(redis_local_waiters, a_channel_that_is_wanted_again_is_kept) {
    add(7);
    all.serve("a", 7, now);
    now += 900ms;
    add(8);
    EXPECT_THAT(all.take_idle(now + 200ms), IsEmpty());
    EXPECT_LE(all.due(), now + 200ms + holdfast::engine::waiter_timeout);
}

TEST(redis_poll_delay, is_random_between_the_shortest_and_twice_that) {
    jitter chance{1};
    std::set<holdfast::base::duration> seen;
    for (int i = 0; i < 100; ++i) {
        const auto in = poll_delay(-1, 0, 100ms, chance);
        EXPECT_GE(in, 100ms);
        EXPECT_LT(in, 200ms);
        seen.insert(in);
    }
    EXPECT_GT(seen.size(), 50U);
}

TEST(redis_poll_delay, is_when_the_current_hold_ends_if_that_is_sooner) {
    jitter chance{1};
    EXPECT_EQ(poll_delay(30, 0, 100ms, chance), 31ms);
    EXPECT_EQ(poll_delay(0, 0, 100ms, chance), 1ms);
    EXPECT_GE(poll_delay(5'000, 0, 100ms, chance), 100ms);
}

TEST(redis_poll_delay, of_later_waiters_is_longer_but_within_a_second) { // P7
    jitter chance{1};
    for (int i = 0; i < 100; ++i) {
        const auto in = poll_delay(30, 1, 100ms, chance);
        EXPECT_GE(in, 475ms);
        EXPECT_LT(in, 950ms);
    }
}

} // namespace
