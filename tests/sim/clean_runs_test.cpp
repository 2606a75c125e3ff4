// Runs of the simulation without a planted mistake: they keep all promises, and can be repeated.

#include "sim/sim_runner.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>

namespace holdfast::sim {
namespace {

using test::by_run_length;

class simulation_of : public testing::TestWithParam<unsigned> {};

TEST_P(simulation_of, nodes_keeps_all_promises) {
    const auto runs = by_run_length<std::uint64_t>(25, 400);
    sim_runner runner{mistake::none};
    unsigned leases = 0;
    unsigned losses = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const auto tried = make_scenario({.seed = seed, .nodes = GetParam()});
        const auto result = runner.run(tried);
        ASSERT_EQ(result.violation, "") << runner.explain(runner.shrink(tried))
                                        << "./dev sim --seed " << seed << " --nodes " << GetParam();
        leases += result.leases;
        losses += result.losses;
    }
    EXPECT_GT(leases, 4 * runs) << "callers got the lock";
    EXPECT_GT(losses, 0U) << "faults were bad enough to cost leases";
}
INSTANTIATE_TEST_SUITE_P(simulation, simulation_of, testing::Values(1U, 3U, 5U),
                         testing::PrintToStringParamName());

struct grace_run {
    deployment where{};
    const char* name = "";
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest calls it by this name
void PrintTo(const grace_run& run, std::ostream* out) { *out << run.name; }

class simulation_with_max_lease : public testing::TestWithParam<grace_run> {};

TEST_P(simulation_with_max_lease, keeps_all_promises_when_data_is_lost) {
    const auto runs = by_run_length<std::uint64_t>(25, 400);
    sim_runner runner{mistake::none};
    unsigned leases = 0;
    unsigned losses = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const auto tried =
            make_scenario({.seed = seed, .deployment = GetParam().where, .nodes = 0});
        const auto result = runner.run(tried);
        ASSERT_EQ(result.violation, "")
            << runner.explain(runner.shrink(tried)) << "./dev sim --seed " << seed
            << " --deployment " << GetParam().name;
        leases += result.leases;
        losses += result.losses;
    }
    EXPECT_GT(leases, 4 * runs) << "callers got the lock";
    EXPECT_GT(losses, 0U) << "faults were bad enough to cost leases";
}
INSTANTIATE_TEST_SUITE_P(simulation, simulation_with_max_lease,
                         testing::Values(grace_run{deployment::grace, "grace"},
                                         grace_run{deployment::failover, "failover"}),
                         testing::PrintToStringParamName());

TEST(simulation, goes_the_same_way_for_the_same_seed) {
    sim_runner runner{mistake::none};
    sim_runner another{mistake::none};
    for (const std::uint64_t seed : {7U, 8U, 9U}) {
        const auto scenario = make_scenario({.seed = seed, .nodes = nodes_for(seed)});
        const auto first = runner.explain(scenario);
        EXPECT_EQ(runner.explain(scenario), first) << seed;
        EXPECT_EQ(another.explain(make_scenario({.seed = seed, .nodes = nodes_for(seed)})), first)
            << seed;
    }
}

TEST(simulation, of_a_failover_goes_the_same_way_for_the_same_seed) {
    sim_runner runner{mistake::none};
    sim_runner another{mistake::none};
    for (const std::uint64_t seed : {7U, 8U, 9U}) {
        const auto scenario =
            make_scenario({.seed = seed, .deployment = deployment::failover, .nodes = 0});
        EXPECT_EQ(another.explain(scenario), runner.explain(scenario)) << seed;
    }
}

TEST(simulation, goes_another_way_for_another_seed) {
    sim_runner runner{mistake::none};
    EXPECT_NE(runner.explain(make_scenario({.seed = 3, .nodes = 3})),
              runner.explain(make_scenario({.seed = 4, .nodes = 3})));
}

} // namespace
} // namespace holdfast::sim
