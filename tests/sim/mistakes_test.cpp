// A simulation that does not find mistakes proves nothing: it must find each planted one, by a
// violation of the promise that it breaks.

#include "sim/sim_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {
namespace {

struct expectation {
    mistake planted{};
    std::string_view violation; ///< a part of its text
    std::uint64_t seed = 1;     ///< one that has found it: the search begins there
    unsigned nodes = 0;         ///< 0: of the seed, but a quorum if the mistake needs one
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest calls it by this name
void PrintTo(const expectation& expected, std::ostream* out) { *out << name_of(expected.planted); }

[[nodiscard]] scenario scenario_of(const expectation& expected, std::uint64_t seed) {
    const auto deployment = deployment_for(seed, expected.planted);
    auto nodes = expected.nodes;
    if (nodes == 0 && deployment == deployment::quorum) { nodes = nodes_for(seed); }
    if (scope_of(expected.planted) == mistake_scope::quorum) { nodes = std::max(nodes, 3U); }
    return make_scenario(
        {.seed = seed, .deployment = deployment, .nodes = nodes, .planted = expected.planted});
}

/// The first scenario in which it breaks that promise.
[[nodiscard]] std::optional<scenario> find(sim_runner& runner, const expectation& expected) {
    constexpr std::uint64_t most = 300;
    for (std::uint64_t seed = expected.seed; seed < expected.seed + most; ++seed) {
        auto tried = scenario_of(expected, seed);
        if (runner.run(tried).violation.find(expected.violation) != std::string::npos) {
            return tried;
        }
    }
    return std::nullopt;
}

class planted_mistake : public testing::TestWithParam<expectation> {};

TEST_P(planted_mistake, is_found) {
    sim_runner runner{GetParam().planted};
    EXPECT_TRUE(find(runner, GetParam())) << "nothing is found: " << GetParam().violation;
}

const std::vector<expectation> expectations{
    {mistake::no_validity_check, "P2"},
    {mistake::no_drift, "P2"},
    {mistake::wall_clock, "P1", 32},
    {mistake::release_granted_only, "which nobody wants", 11},
    {mistake::unchecked_tokens, "P3"},
    {mistake::token_not_raised, "P3", 33},
    {mistake::tombstone_kept, "P7", 37},
    {mistake::break_believed, "is told that its lock was taken away", 6},
    {mistake::reclaim_counted, "was broken, and is renewed after that", 9},
    {mistake::no_rejoin_delay, "are valid at the same time", 86},
    {mistake::no_not_after, "P5", 32},
    {mistake::queues_on_nodes, "P7"},
    {mistake::shortening_renewals, "P1", 9, 1},
    {mistake::run_id_as_identity, "are valid at the same time", 232},
    {mistake::grace_from_claim, "are valid at the same time", 1282},
    {mistake::no_token_check, "P3: node 0 makes", 9},
};

std::string parameter_name(const testing::TestParamInfo<expectation>& info) {
    return std::string{name_of(info.param.planted)};
}
INSTANTIATE_TEST_SUITE_P(simulation, planted_mistake, testing::ValuesIn(expectations),
                         parameter_name);
// Of one server. Late renewals, above, are found there as well.
INSTANTIATE_TEST_SUITE_P(simulation_of_one_server, planted_mistake,
                         testing::Values(expectation{mistake::no_not_after, "P5", 10, 1}),
                         parameter_name);

TEST(simulation, knows_what_each_mistake_breaks) {
    EXPECT_EQ(expectations.size(), all_mistakes.size());
    for (const auto& entry : all_mistakes) {
        EXPECT_TRUE(std::any_of(expectations.begin(), expectations.end(), [&](const auto& each) {
            return each.planted == entry.value;
        })) << entry.name;
    }
}

TEST(simulation, shortens_a_run_that_breaks_a_promise_to_a_timeline_that_can_be_read) {
    sim_runner runner{mistake::shortening_renewals};
    const auto failing = find(runner, {mistake::shortening_renewals, "P1", 9, 1});
    ASSERT_TRUE(failing);
    const auto whole = runner.explain(*failing);
    const auto shorter = runner.shrink(*failing);
    const auto text = runner.explain(shorter);
    EXPECT_LT(shorter.faults.size(), 8U) << "of " << failing->faults.size();
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'),
              std::count(whole.begin(), whole.end(), '\n'));
    for (const auto* const part : {"seed ", " HOLDS the lock as number ", "FAULT  ", "  P1: "}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
    }
    sim_runner another{mistake::shortening_renewals};
    EXPECT_EQ(another.explain(shorter), text) << "it goes the same way again";
}

} // namespace
} // namespace holdfast::sim
