// Thousands of short lives of four clients that want one lock over a bad network. In each of them
// nobody is valid beside another (P1) or past the server's deadline (P2), everybody comes to an end
// (P7, P9), no machine wakes up for nothing, and nothing is left behind (P8).

#include "unit/lock_simulation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;

struct weather {
    const char* name;
    machine::conditions conditions;
};

class lock_simulation : public testing::TestWithParam<weather> {};

TEST_P(lock_simulation, keeps_its_promises_in_every_run) {
    constexpr unsigned runs = 200;
    unsigned grants = 0;
    unsigned hand_offs = 0;
    unsigned losses = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        simulation one{seed, GetParam().conditions};
        const auto complaint = one.run();
        ASSERT_EQ(complaint, "") << "with seed " << seed;
        grants += one.grants();
        hand_offs += one.hand_offs();
        losses += one.losses();
    }
    // A simulation in which nothing happens proves nothing.
    EXPECT_GT(grants, runs * 2);
    EXPECT_GT(losses, runs / 4) << "some hold on without renewal, or too long";
    const bool hands_off = GetParam().conditions.queue == engine::queueing::grant;
    EXPECT_EQ(hand_offs > runs / 4, hands_off) << hand_offs;
}

INSTANTIATE_TEST_SUITE_P(
    weather, lock_simulation,
    testing::Values(
        weather{"calm", {}}, //
        weather{"cancelling", {.cancelled = 50}}, weather{"losing", {.lost = 15, .cancelled = 20}},
        weather{"slow", {.slow = 30, .slowest = 4000ms, .cancelled = 20}},
        weather{"refusing", {.refused = 40, .cancelled = 20}},
        weather{"stalling", {.lost = 2, .slow = 5, .stalled = 40, .cancelled = 30}},
        weather{"stopping", {.lost = 2, .slow = 5, .stopped = 40}},
        weather{
            "all_at_once",
            {.lost = 10, .slow = 20, .refused = 10, .stalled = 10, .stopped = 10, .cancelled = 10}},
        weather{"hints_only",
                {.lost = 5, .slow = 10, .cancelled = 20, .queue = engine::queueing::hint}},
        weather{"no_queue",
                {.lost = 5, .slow = 10, .cancelled = 20, .queue = engine::queueing::no}}),
    [](const auto& one) { return std::string{one.param.name}; });

} // namespace
} // namespace holdfast::machine
