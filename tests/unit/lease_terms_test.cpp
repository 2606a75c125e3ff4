// P2: N = s + lease - (1 % of lease + 2 ms) - margin.

#include "holdfast/machine/lease_terms.hpp"

#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

namespace holdfast::machine {
namespace {

using base::duration;
using std::chrono::hours;
using namespace std::chrono_literals;

TEST(lease_terms, p2_drift_is_one_percent_and_two_milliseconds) {
    EXPECT_EQ(drift(100ms), duration{3ms});
    EXPECT_EQ(drift(150ms), duration{3500us});
    EXPECT_EQ(drift(30s), duration{302ms});
    EXPECT_EQ(drift(24h), duration{864s + 2ms});
}

TEST(lease_terms, p2_default_margin_is_the_larger_of_50_ms_and_a_twentieth) {
    EXPECT_EQ(default_margin(30s), duration{1500ms});
    EXPECT_EQ(default_margin(1s), duration{50ms});
    EXPECT_EQ(default_margin(999ms), duration{50ms});
    EXPECT_EQ(default_margin(1020ms), duration{51ms});
    EXPECT_EQ(default_margin(150ms), duration{50ms});
}

TEST(lease_terms, p2_default_margin_of_a_short_lease_is_a_third) {
    EXPECT_EQ(default_margin(149ms), duration{149ms} / 3);
    EXPECT_EQ(default_margin(100ms), duration{100ms} / 3);
}

TEST(lease_terms, p2_deadline_is_what_the_promise_says) {
    EXPECT_EQ(valid_until(at(0), 30s, 0ms), at(30'000 - 302 - 1500));
    EXPECT_EQ(valid_until(at(0), 30s, 2s), at(30'000 - 302 - 2000));
    EXPECT_EQ(valid_until(at(70), 1s, 1ms), at(70 + 1000 - 12 - 1));
    EXPECT_EQ(valid_until(at(0), 1s, 0ms), at(1000 - 12 - 50));
}

TEST(lease_terms, p2_every_lease_leaves_time_to_work_and_ends_before_a_fast_engines) {
    for (auto lease = 100ms; lease <= hours{24}; lease += lease / 7) {
        const auto usable = valid_until(at(0), lease, 0ms) - at(0);
        EXPECT_GT(usable, duration{lease} / 2) << lease.count() << " ms";
        EXPECT_LT(usable, duration{lease} * 99 / 100 - 33ms) << lease.count() << " ms";
        EXPECT_LT(default_margin(lease), duration{lease} / 2) << lease.count() << " ms";
    }
}

} // namespace
} // namespace holdfast::machine
