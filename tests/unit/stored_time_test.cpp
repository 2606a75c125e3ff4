// Times of the wall clock that records store.

#include "holdfast/engine/stored_time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast::engine {

namespace {

constexpr std::int64_t now = 1'795'000'000'000'000;

std::chrono::system_clock::time_point shown(std::int64_t us) {
    return std::chrono::system_clock::time_point{stored_time(us)};
}

TEST(stored_time, is_shown_as_it_is) {
    EXPECT_EQ(shown(now).time_since_epoch(), std::chrono::microseconds{now});
    EXPECT_EQ(stored_age(now - 1'500'000, now), base::milliseconds{1500});
}

TEST(stored_time, of_a_forged_record_is_cut_to_what_the_clock_can_express) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    EXPECT_GT(shown(most), shown(now));
    EXPECT_EQ(shown(least).time_since_epoch().count(), 0);
    EXPECT_EQ(stored_age(most, now), base::milliseconds{0});
    EXPECT_EQ(stored_age(least, now), base::milliseconds{now / 1000});
}

} // namespace

} // namespace holdfast::engine
