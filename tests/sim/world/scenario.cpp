#include "sim/world/scenario.hpp"

#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/node/incarnation.hpp"
#include "sim/world/fault_theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace holdfast::sim {

using base::milliseconds;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

template <typename Value, std::size_t Count>
Value pick(base::jitter& random, const std::array<Value, Count>& values) {
    return values.at(random.below(Count));
}

sim_time below(base::jitter& random, sim_time most) {
    return sim_time{
        static_cast<sim_time::rep>(random.below(static_cast<std::uint64_t>(most.count()) + 1))};
}

/// Small spans are as likely as large ones.
sim_time spread(base::jitter& random, sim_time least, sim_time most) {
    constexpr std::uint64_t steps = 1000;
    const double part = static_cast<double>(random.below(steps)) / steps;
    const double factor = std::pow(static_cast<double>(most.count()) /
                                       static_cast<double>(std::max(least, sim_time{1}).count()),
                                   part);
    return sim_time{static_cast<sim_time::rep>(static_cast<double>(least.count()) * factor)};
}

bool chance(base::jitter& random, unsigned percent) { return random.below(100) < percent; }

/// P1's condition: rates differ by less than 1 %. Extremes find more than averages.
clock_rate any_rate(base::jitter& random) {
    constexpr std::int64_t most = 4900;
    if (chance(random, 50)) { return {chance(random, 50) ? most : -most}; }
    return {static_cast<std::int64_t>(random.below(2 * most + 1)) - most};
}

void add_faults(scenario& out, base::jitter& random) {
    const auto theme = any_theme(random, out.nodes);
    if (theme.kinds.empty()) { return; }
    // About as long as it takes to get the lock and to release it.
    const sim_time cycle = (out.longest_think + out.longest_hold) / 2 + 10 * out.network.latency;
    const sim_time gap = cycle * pick(random, std::array<int, 3>{1, 3, 12}) / 3;
    const auto longest = std::max<sim_time>(2 * out.longest_lease, milliseconds{500});
    constexpr unsigned most = 400;
    sim_time at{0};
    while (out.faults.size() < most && at < minutes{5}) {
        at += below(random, 2 * gap);
        fault made;
        made.at = at;
        made.kind = theme.kinds[random.below(theme.kinds.size())];
        made.client = static_cast<unsigned>(random.below(out.clients));
        made.node = static_cast<unsigned>(random.below(out.nodes));
        made.span = spread(random, milliseconds{2}, longest);
        made.variant = static_cast<unsigned>(random.below(4));
        made.armed = theme.triggers[random.below(theme.triggers.size())];
        out.faults.push_back(made);
    }
}

/// Some come at once after others, some after a grace period and more.
void add_grace_faults(scenario& out, base::jitter& random) {
    const auto theme = any_grace_theme(random, out.deployment);
    sim_time least_span = milliseconds{2};
    sim_time longest_span = 3 * out.grace_period();
    if (theme.front().kind == fault_kind::delay_renewal) { // so late that it just counts
        out.network.latency = std::min<sim_time>(out.network.latency, microseconds{500});
        out.network.variation = std::min<sim_time>(out.network.variation, milliseconds{1});
        out.max_lease = std::max<milliseconds>(out.max_lease, seconds{1});
        out.least_lease = out.longest_lease = out.max_lease;
        out.longest_hold = milliseconds{20};
        longest_span = std::min(out.max_lease / 4, out.command_timeout);
        least_span = longest_span / 3;
    }
    const sim_time grace = out.grace_period();
    const auto longest_gap = grace * pick(random, std::array<int, 3>{1, 4, 16});
    constexpr unsigned most = 400;
    sim_time at = below(random, 2 * grace);
    while (out.faults.size() < most && at < minutes{5}) {
        at += spread(random, milliseconds{1}, longest_gap);
        const auto& chosen = theme[random.below(theme.size())];
        fault made;
        made.at = at;
        made.kind = chosen.kind;
        made.client = static_cast<unsigned>(random.below(out.clients));
        made.node = static_cast<unsigned>(random.below(out.nodes));
        made.span = spread(random, least_span, longest_span);
        made.variant = static_cast<unsigned>(random.below(4));
        made.armed = chosen.trigger;
        out.faults.push_back(made);
    }
}

/// Half of the replicas must acknowledge, at least.
void choose_replication(scenario& out, base::jitter& random) {
    out.replicas = out.nodes / 2;
    out.replication.seed = random.next();
    out.replication.latency =
        pick(random,
             std::array<microseconds, 3>{microseconds{50}, microseconds{500}, microseconds{5000}});
    out.replication.variation = // a WAIT lasts 75 ms or more
        out.replication.latency * pick(random, std::array<int, 3>{1, 2, 4});
}

void choose_clocks(scenario& out, base::jitter& random) {
    const auto any_offset = [&](sim_time most) { return below(random, 2 * most) - most; };
    for (unsigned at = 0; at < out.clients; ++at) {
        out.client_rates.push_back(any_rate(random));
        out.client_offsets.push_back(any_offset(milliseconds{200}));
    }
    for (unsigned at = 0; at < out.nodes; ++at) {
        out.node_rates.push_back(any_rate(random));
        out.node_offsets.push_back(any_offset(milliseconds{200}));
    }
}

} // namespace

base::milliseconds scenario::grace_period() const noexcept {
    return engine::redis::grace_period(max_lease);
}

scenario make_scenario(const sim_setup& setup) {
    constexpr std::uint64_t apart = 1000;
    base::jitter random{setup.seed * 0x9e37'79b9U + setup.nodes +
                        apart * static_cast<std::uint64_t>(setup.deployment)};
    scenario out;
    out.seed = setup.seed;
    out.deployment = setup.deployment;
    out.nodes = setup.nodes;
    if (setup.deployment == deployment::grace) { out.nodes = 1; }
    if (setup.deployment == deployment::failover && setup.nodes < 2) {
        out.nodes = pick(random, std::array<unsigned, 4>{2, 3, 3, 5});
    }
    out.events = setup.events;
    out.planted = setup.planted;
    out.clients = 2 + static_cast<unsigned>(random.below(3));
    out.callers = chance(random, 75) ? 1 : 2;
    out.network.seed = random.next();
    out.network.latency =
        pick(random,
             std::array<microseconds, 3>{microseconds{50}, microseconds{500}, microseconds{5000}});
    out.network.variation = out.network.latency * pick(random, std::array<int, 3>{1, 3, 10});
    if (out.is_quorum()) { // a node of a quorum must answer within 20 ms, or has no part in it
        out.network.latency = std::min<sim_time>(out.network.latency, milliseconds{2});
        out.network.variation = std::min<sim_time>(out.network.variation, milliseconds{5});
    }
    out.least_lease = pick(random, std::array<milliseconds, 4>{milliseconds{100}, milliseconds{300},
                                                               seconds{1}, seconds{3}});
    out.longest_lease = std::min<milliseconds>(
        out.least_lease * pick(random, std::array<int, 3>{1, 4, 20}), seconds{10});
    out.margin = milliseconds{chance(random, 50) ? 0 : 1};
    out.connect_timeout =
        pick(random, std::array<milliseconds, 2>{milliseconds{200}, milliseconds{1000}});
    out.command_timeout =
        pick(random, std::array<milliseconds, 3>{milliseconds{150}, milliseconds{500}, seconds{2}});
    out.connect_wait = pick(random, std::array<milliseconds, 4>{milliseconds{0}, milliseconds{500},
                                                                seconds{2}, seconds{5}});
    out.longest_think = pick(
        random, std::array<milliseconds, 3>{milliseconds{2}, milliseconds{50}, milliseconds{500}});
    out.longest_hold = pick(
        random, std::array<sim_time, 3>{milliseconds{2}, milliseconds{200}, 2 * out.longest_lease});
    choose_clocks(out, random);
    if (out.deployment == deployment::quorum) {
        add_faults(out, random);
        return out;
    }
    out.max_lease = out.longest_lease;
    if (chance(random, 50)) { out.longest_hold = 6 * out.longest_lease; } // a fault finds a holder
    if (out.deployment == deployment::failover) { choose_replication(out, random); }
    add_grace_faults(out, random);
    return out;
}

caller_step step_of(const scenario& scenario, unsigned client, unsigned caller, unsigned number) {
    constexpr std::uint64_t odd = 0x2545'f491'4f6c'dd1dU;
    base::jitter random{((scenario.seed * odd + client) * odd + caller) * odd + number};
    caller_step out;
    out.think = below(random, scenario.longest_think);
    out.lease = chance(random, 50) ? scenario.least_lease : scenario.longest_lease;
    out.hold = below(random, scenario.longest_hold);
    out.renews = chance(random, 85);
    out.cancel_after = never_again;
    if (chance(random, 50)) { out.extensions = 1 + static_cast<unsigned>(random.below(3)); }
    const auto kind = random.below(100);
    if (kind < 15) {
        out.wait = sim_time::zero();
    } else if (kind < 45) {
        out.wait = spread(random, milliseconds{1}, 2 * scenario.longest_lease);
    } else {
        out.wait = never_again;
        if (kind < 65) {
            out.cancel_after = spread(random, milliseconds{1}, 2 * scenario.longest_lease);
        }
    }
    return out;
}

} // namespace holdfast::sim
