#include "sim/world/fault_theme.hpp"

#include <array>

namespace holdfast::sim {

namespace {

namespace scripts = engine::redis::scripts;

bool needs_quorum(fault_kind kind) {
    return kind == fault_kind::wipe_node || kind == fault_kind::flush_node ||
           kind == fault_kind::break_on_node;
}

/// Each kind with a chance of its own.
fault_theme any_mixture(base::jitter& random) {
    fault_theme out;
    const std::array<unsigned, 3> percents{20, 50, 80};
    const auto percent = percents.at(random.below(percents.size()));
    for (unsigned at = 0; at < fault_kinds; ++at) {
        if (random.below(100) < percent) { out.kinds.push_back(static_cast<fault_kind>(at)); }
    }
    out.triggers = {nullptr,        nullptr,           nullptr,
                    nullptr,        &scripts::acquire, &scripts::acquire,
                    &scripts::beat, &scripts::release, &scripts::withdraw};
    return out;
}

const std::vector<fault_theme>& themes() {
    using enum fault_kind;
    static const std::vector<fault_theme> all{
        {{break_link, stall_link}, {&scripts::beat}},               // late renewals
        {{break_link, stall_link, slow_link}, {&scripts::acquire}}, // late acquires
        {{break_link, stall_link, crash_node}, {&scripts::release, &scripts::withdraw}},
        {{hold_link, pause_client}, {nullptr}}, // holders that are cut off
        {{crash_client, pause_client}, {nullptr, &scripts::acquire}},
        {{pause_node, crash_node, slow_link}, {nullptr, &scripts::acquire}},
        {{wipe_node, flush_node, hold_link}, {nullptr, &scripts::acquire}},
        {{wipe_node, flush_node, crash_node, pause_client}, {nullptr, &scripts::beat}},
        {{break_on_node, hold_link}, {nullptr, &scripts::beat}},
        {{step_wall, hold_link, pause_client}, {nullptr}},
    };
    return all;
}

/// Each of these kinds with each of these triggers.
grace_theme combine(const std::vector<fault_kind>& kinds,
                    const std::vector<const engine::redis::script*>& triggers) {
    grace_theme out;
    for (const auto kind : kinds) {
        for (const auto* const trigger : triggers) { out.push_back({kind, trigger}); }
    }
    return out;
}

const std::vector<const engine::redis::script*>& any_trigger() {
    static const std::vector<const engine::redis::script*> all{nullptr,
                                                               nullptr,
                                                               &scripts::grace_acquire,
                                                               &scripts::grace_beat,
                                                               &scripts::grace_release,
                                                               &scripts::grace_withdraw,
                                                               &scripts::verify};
    return all;
}

const std::vector<grace_theme>& grace_themes() {
    using enum fault_kind;
    static const std::vector<grace_theme> all{
        // Late renewals of holds whose release is forgotten.
        {{delay_renewal, nullptr}},
        combine({flush_node}, {nullptr, &scripts::grace_acquire, &scripts::grace_release}),
        combine({wipe_node, restore_node, hold_link}, {nullptr, &scripts::grace_acquire}),
        combine({crash_node, restore_node, pause_client}, {nullptr, &scripts::grace_beat}),
        combine({break_link, slow_link, wipe_node}, {nullptr, &scripts::verify}),
        combine({crash_client, pause_client, flush_node, wipe_node}, {nullptr}),
        combine({pause_node, stall_link, flush_node}, {nullptr, &scripts::grace_beat}),
        combine({break_link, stall_link, hold_link, slow_link, pause_node, crash_node, wipe_node,
                 flush_node, pause_client, crash_client, step_wall, restore_node},
                any_trigger()),
    };
    return all;
}

const std::vector<grace_theme>& failover_themes() {
    using enum fault_kind;
    static const std::vector<grace_theme> all{
        combine({fail_over}, {nullptr, &scripts::grace_acquire, &scripts::grace_beat}),
        combine({fail_over, stall_replica}, {nullptr}), // old data is promoted
        combine({fail_over, stall_replica}, {nullptr, &scripts::grace_acquire}),
        combine({fail_over, pause_client, hold_link}, {nullptr, &scripts::grace_beat}),
        combine({fail_over, pause_node, crash_node}, {nullptr, &scripts::grace_acquire}),
        combine({fail_over, wipe_node, restore_node, stall_replica}, {nullptr}),
        combine({fail_over, break_link, stall_link}, {&scripts::grace_beat, &scripts::verify}),
        combine({crash_node, flush_node, stall_replica, pause_client}, {nullptr}),
        combine({break_link, stall_link, hold_link, slow_link, pause_node, crash_node, wipe_node,
                 flush_node, pause_client, crash_client, step_wall, restore_node, fail_over,
                 stall_replica},
                any_trigger()),
    };
    return all;
}

} // namespace

grace_theme any_grace_theme(base::jitter& random, deployment deployment) {
    const auto& all = deployment == deployment::grace ? grace_themes() : failover_themes();
    return all[random.below(all.size())];
}

fault_theme any_theme(base::jitter& random, unsigned nodes) {
    const auto number = random.below(2 * themes().size());
    auto out = number < themes().size() ? themes()[number] : any_mixture(random);
    if (nodes < 3) { std::erase_if(out.kinds, needs_quorum); }
    return out;
}

} // namespace holdfast::sim
