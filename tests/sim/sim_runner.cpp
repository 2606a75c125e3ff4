#include "sim/sim_runner.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace holdfast::sim {

unsigned nodes_for(std::uint64_t seed) noexcept {
    constexpr std::array<unsigned, 4> counts{1, 3, 3, 5};
    return counts[seed % counts.size()];
}

deployment deployment_for(std::uint64_t seed, mistake planted) noexcept {
    constexpr std::array<deployment, 4> turns{deployment::quorum, deployment::quorum,
                                              deployment::grace, deployment::failover};
    if (planted == mistake::none) { return turns[seed / 4 % turns.size()]; }
    switch (scope_of(planted)) {
    case mistake_scope::grace: return deployment::grace;
    case mistake_scope::failover: return deployment::failover;
    default: return deployment::quorum;
    }
}

sim_runner::sim_runner(mistake planted)
    : scripts_{vm_, [planted](std::string_view text) { return plant(planted, text); }} {}

sim_result sim_runner::run(const scenario& scenario, timeline& timeline) {
    sim_world world{scenario, scripts_, timeline};
    return world.run();
}

sim_result sim_runner::run(const scenario& scenario) {
    timeline nothing;
    return run(scenario, nothing);
}

bool sim_runner::fails_alike(const scenario& scenario, const std::string& violation) {
    constexpr std::size_t promise = 2; // e.g. P1
    return run(scenario).violation.substr(0, promise) == violation.substr(0, promise);
}

scenario sim_runner::shrink(const scenario& failing) {
    auto out = failing;
    const auto violation = run(out).violation;
    shrink_events(out, violation);
    shrink_faults(out, violation);
    shrink_clients(out, violation);
    shrink_events(out, violation);
    shrink_faults(out, violation);
    return out;
}

void sim_runner::shrink_events(scenario& scenario, const std::string& violation) {
    auto smaller = scenario;
    smaller.events = std::min(scenario.events, run(scenario).events + 1);
    for (; smaller.events > 4; smaller.events = smaller.events * 3 / 4) {
        if (!fails_alike(smaller, violation)) { return; }
        scenario.events = smaller.events;
    }
}

/// Without large parts of the faults first, then without single ones.
void sim_runner::shrink_faults(scenario& scenario, const std::string& violation) {
    for (auto size = std::max<std::size_t>(scenario.faults.size() / 2, 1);; size /= 2) {
        for (std::size_t at = 0; at < scenario.faults.size();) {
            auto smaller = scenario;
            const auto begin = smaller.faults.begin() + static_cast<std::ptrdiff_t>(at);
            const auto count = std::min(size, smaller.faults.size() - at);
            smaller.faults.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            if (fails_alike(smaller, violation)) {
                scenario = std::move(smaller);
            } else {
                at += count;
            }
        }
        if (size <= 1) { return; }
    }
}

void sim_runner::shrink_clients(scenario& scenario, const std::string& violation) {
    auto smaller = scenario;
    smaller.callers = 1;
    if (fails_alike(smaller, violation)) { scenario = smaller; }
    while (scenario.clients > 1) {
        smaller = scenario;
        --smaller.clients;
        std::erase_if(smaller.faults,
                      [&](const fault& each) { return each.client >= smaller.clients; });
        if (!fails_alike(smaller, violation)) { return; }
        scenario = smaller;
    }
}

std::string sim_runner::explain(const scenario& scenario) {
    timeline timeline;
    timeline.switch_on();
    const auto result = run(scenario, timeline);
    std::string out = describe(scenario) + "\n\n         ms\n";
    for (const auto& line : timeline.lines()) { out += line + '\n'; }
    return out + '\n' + timeline::stamp(result.at) + "  " + result.violation + '\n';
}

} // namespace holdfast::sim
