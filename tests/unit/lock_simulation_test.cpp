// Thousands of short simulations of four clients that contend for one lock over a bad network. In
// each of them no two leases are valid at a time (P1) or past the server's deadline (P2), every
// wait ends (P7, P9), no machine wakes up for nothing, and nothing is left behind (P8).

#include "unit/lock_simulation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;

struct scenario {
    const char* name;
    machine::network_conditions conditions;
};

class lock_simulation : public testing::TestWithParam<scenario> {};

TEST_P(lock_simulation, keeps_the_promises_in_every_run) {
    constexpr unsigned runs = 200;
    unsigned grants = 0;
    unsigned hand_offs = 0;
    unsigned losses = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        simulation run{seed, GetParam().conditions};
        const auto complaint = run.run();
        ASSERT_EQ(complaint, "") << "with seed " << seed;
        grants += run.grants();
        hand_offs += run.hand_offs();
        losses += run.losses();
    }
    // A simulation in which nothing happens proves nothing.
    EXPECT_GT(grants, runs * 2);
    EXPECT_GT(losses, runs / 4) << "some hold on without renewal, or too long";
    const bool hands_off = GetParam().conditions.queue == engine::queueing::grant;
    EXPECT_EQ(hand_offs > runs / 4, hands_off) << hand_offs;
}

INSTANTIATE_TEST_SUITE_P(
    scenario, lock_simulation,
    testing::Values(
        scenario{"calm", {}}, //
        scenario{"cancelling", {.cancelled = 50}},
        scenario{"losing", {.lost = 15, .cancelled = 20}},
        scenario{"slow", {.slow = 30, .slowest = 4000ms, .cancelled = 20}},
        scenario{"refusing", {.refused = 40, .cancelled = 20}},
        scenario{"stalling", {.lost = 2, .slow = 5, .stalled = 40, .cancelled = 30}},
        scenario{"stopping", {.lost = 2, .slow = 5, .stopped = 40}},
        scenario{
            "all_at_once",
            {.lost = 10, .slow = 20, .refused = 10, .stalled = 10, .stopped = 10, .cancelled = 10}},
        scenario{"hints_only",
                 {.lost = 5, .slow = 10, .cancelled = 20, .queue = engine::queueing::hint}},
        scenario{"no_queue",
                 {.lost = 5, .slow = 10, .cancelled = 20, .queue = engine::queueing::no}}),
    [](const auto& run) { return std::string{run.param.name}; });

} // namespace
} // namespace holdfast::machine
