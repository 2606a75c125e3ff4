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

} // namespace

fault_theme any_theme(base::jitter& random, unsigned nodes) {
    const auto number = random.below(2 * themes().size());
    auto out = number < themes().size() ? themes()[number] : any_mixture(random);
    if (nodes < 3) { std::erase_if(out.kinds, needs_quorum); }
    return out;
}

} // namespace holdfast::sim
