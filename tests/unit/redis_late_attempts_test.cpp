// late_attempts: for how long a request that was lost with its connection is remembered.

#include "holdfast/engine/redis/layout/native/late_attempts.hpp"

#include <gtest/gtest.h>

namespace {

using holdfast::engine::redis::late_attempts;

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t now = 1'700'000'000 * second;

// The server was stopped when it was asked for its time, so its clock seems to be ahead. A request
// that may still arrive was forgotten, and its withdrawal did not stop it.
TEST(redis_late_attempts, are_remembered_although_the_servers_clock_is_taken_to_be_ahead) { // P5
    late_attempts attempts;
    attempts.add(7, now + second, now);
    attempts.add(8, now + 20 * second, now + 12 * second);
    EXPECT_EQ(attempts.not_after_of(7), now + second);
}

TEST(redis_late_attempts, are_forgotten_when_they_can_arrive_no_more) { // P9
    late_attempts attempts;
    attempts.add(7, now + second, now);
    attempts.add(7, now, now);
    EXPECT_EQ(attempts.not_after_of(7), now + second) << "the highest counts";
    attempts.add(8, now + 70 * second, now + 62 * second);
    EXPECT_EQ(attempts.not_after_of(7), 0);
    EXPECT_EQ(attempts.not_after_of(8), now + 70 * second);
}

} // namespace
