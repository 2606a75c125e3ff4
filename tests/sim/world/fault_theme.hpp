#pragma once
// Which faults a run has, and when.

#include "holdfast/base/random.hpp"
#include "sim/world/scenario.hpp"

#include <vector>

namespace holdfast::sim {

/// All faults of a run are of these kinds, and wait for requests of these scripts. A run with all
/// faults at once hides what a few of them do.
struct fault_theme {
    std::vector<fault_kind> kinds{};
    std::vector<const engine::redis::script*> triggers{}; ///< null: at any time
};

/// With less than three nodes none that lose data: they promise nothing then.
[[nodiscard]] fault_theme any_theme(base::jitter& random, unsigned nodes);

struct armed_kind {
    fault_kind kind{};
    const engine::redis::script* trigger = nullptr; ///< null: at any time
};
/// All faults of a run with max_lease are of these.
using grace_theme = std::vector<armed_kind>;

/// For deployment::grace and deployment::failover: with faults that lose data.
[[nodiscard]] grace_theme any_grace_theme(base::jitter& random, deployment deployment);

} // namespace holdfast::sim
