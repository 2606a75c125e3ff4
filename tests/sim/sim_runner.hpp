#pragma once
// Runs scenarios, and explains those in which a promise is broken.

#include "sim/node/lua_vm.hpp"
#include "sim/node/script_library.hpp"
#include "sim/world/scenario.hpp"
#include "sim/world/sim_world.hpp"
#include "sim/world/timeline.hpp"

#include <cstdint>
#include <string>

namespace holdfast::sim {

/// How many nodes the run of a seed has, unless somebody says otherwise.
[[nodiscard]] unsigned nodes_for(std::uint64_t seed) noexcept;

/// Which deployment it has. `planted` must be able to show there.
[[nodiscard]] deployment deployment_for(std::uint64_t seed, mistake planted) noexcept;

/// Keeps a Lua machine with the compiled scripts for all its runs.
///
/// Thread safety: none.
class sim_runner {
public:
    explicit sim_runner(mistake planted);

    [[nodiscard]] sim_result run(const scenario& scenario);
    [[nodiscard]] sim_result run(const scenario& scenario, timeline& timeline);
    /// A smaller scenario that breaks the same promise: fewer events, clients and faults.
    [[nodiscard]] scenario shrink(const scenario& failing);
    /// What happens in a scenario, line by line, up to its violation.
    [[nodiscard]] std::string explain(const scenario& scenario);

private:
    [[nodiscard]] bool fails_alike(const scenario& scenario, const std::string& violation);
    void shrink_events(scenario& scenario, const std::string& violation);
    void shrink_faults(scenario& scenario, const std::string& violation);
    void shrink_clients(scenario& scenario, const std::string& violation);

    lua_vm vm_;
    script_library scripts_;
};

} // namespace holdfast::sim
