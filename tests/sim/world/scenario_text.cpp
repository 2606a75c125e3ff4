// Scenarios for people.

#include "sim/world/scenario.hpp"

#include <array>
#include <cstdio>

namespace holdfast::sim {

std::string span_text(sim_time span) {
    if (span == never_again) { return "ever"; }
    std::array<char, 32> text{};
    const double ms = std::chrono::duration<double, std::milli>(span).count();
    std::snprintf(text.data(), text.size(), ms < 1000 ? "%.3g ms" : "%.4g s",
                  ms < 1000 ? ms : ms / 1000);
    return text.data();
}

namespace {

/// What becomes of the old master.
std::string describe_old(const fault& fault) {
    const auto span = span_text(fault.span);
    switch (fault.variant) {
    case 0: return "the old one is a master for another " + span;
    case 1: return "the old one crashes, and follows it after " + span;
    case 2: return "the old one is stopped, and follows it after " + span;
    default: return "all follow it within " + span;
    }
}

std::string describe_effect(const fault& fault) {
    const auto client = "client " + std::to_string(fault.client);
    const auto node = "node " + std::to_string(fault.node);
    const auto way = "the link of " + client + " and " + node;
    const auto span = span_text(fault.span);
    switch (fault.kind) {
    case fault_kind::break_link:
        return way + " breaks; what was sent " +
               (fault.variant == 0 ? "is lost" : "arrives " + span + " later");
    case fault_kind::stall_link: return way + " is dead for " + span + "; a new connection works";
    case fault_kind::hold_link: return way + " carries nothing for " + span;
    case fault_kind::slow_link: return way + " is slow for " + span;
    case fault_kind::pause_node: return node + " is stopped for " + span;
    case fault_kind::crash_node: return node + " crashes, and is back with its data in " + span;
    case fault_kind::wipe_node: return node + " crashes, and is back without its data in " + span;
    case fault_kind::flush_node: return node + " loses its data";
    case fault_kind::break_on_node:
        return fault.variant == 0
                   ? "all connections break, the lock is broken, and most nodes lose "
                     "their data"
                   : std::string{"the lock is broken on node 0 only"};
    case fault_kind::pause_client: return client + " is stopped for " + span;
    case fault_kind::crash_client: return client + " dies; another starts in " + span;
    case fault_kind::step_wall:
        return "the wall clock of " + client + " is set " +
               (fault.variant % 2 == 0 ? "back" : "ahead") + " by " + span;
    case fault_kind::restore_node: return node + " crashes, and is back with old data in " + span;
    case fault_kind::fail_over: return "another server becomes the master: " + describe_old(fault);
    case fault_kind::delay_renewal:
        return "the link of the holder breaks, and its renewal arrives " + span +
               " later; at the next release of another client all data is lost";
    case fault_kind::stall_replica:
        return (fault.variant < 2 ? node : "the old master") +
               " receives nothing from its master for " + span;
    }
    return {};
}

} // namespace

std::string describe(const fault& fault) {
    return (fault.armed == nullptr ? "" : "at a " + std::string{fault.armed->name} + ": ") +
           describe_effect(fault);
}

std::string describe(const scenario& scenario) {
    const auto ms = [](base::milliseconds span) { return std::to_string(span.count()) + " ms"; };
    std::string out =
        "seed " + std::to_string(scenario.seed) + ", " + std::to_string(scenario.nodes) +
        (scenario.has_grace() ? " nodes with max_lease, " : " nodes, ") +
        std::to_string(scenario.clients) + " clients with " + std::to_string(scenario.callers) +
        " callers; leases " + ms(scenario.least_lease) + " and " + ms(scenario.longest_lease) +
        ", margin " + (scenario.margin.count() == 0 ? "as usual" : ms(scenario.margin)) +
        ", connect_wait " + ms(scenario.connect_wait) + ", command_timeout " +
        ms(scenario.command_timeout) + ", latency " + span_text(scenario.network.latency) +
        "; clocks, in ppm: clients";
    for (const auto rate : scenario.client_rates) {
        out += ' ' + std::to_string(rate.parts_per_million);
    }
    out += ", nodes";
    for (const auto rate : scenario.node_rates) {
        out += ' ' + std::to_string(rate.parts_per_million);
    }
    return out;
}

} // namespace holdfast::sim
