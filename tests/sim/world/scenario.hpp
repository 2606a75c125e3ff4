#pragma once
// Everything that a run is made of, from a seed.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "sim/world/mistakes.hpp"
#include "sim/world/sim_network.hpp"
#include "sim/world/sim_time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::sim {

/// What the locks of a run are kept on.
enum class deployment : std::uint8_t {
    quorum,   ///< one server, or a quorum of several
    grace,    ///< one server that may lose data, with max_lease
    failover, ///< a master with replicas, one of which may be promoted, with max_lease and replicas
};

enum class fault_kind : std::uint8_t {
    break_link,    ///< a connection breaks; what was sent is lost, or arrives late
    stall_link,    ///< a dead connection: what was sent arrives late; a new one works
    hold_link,     ///< a partition: nothing arrives for a while
    slow_link,     ///< messages take longer
    pause_node,    ///< a node is stopped, and continues
    crash_node,    ///< a node restarts, with its data
    wipe_node,     ///< a node restarts without its data
    flush_node,    ///< a node loses its data
    break_on_node, ///< an operator breaks the lock: one node hears of it, or all do, and most
                   ///< forget it again
    pause_client,  ///< a client is stopped, and continues
    crash_client,  ///< a client dies; another one starts in its place
    step_wall,     ///< the wall clock of a client's machine is set
    restore_node,  ///< a node restarts with old data
    fail_over,     ///< a replica is promoted
    stall_replica, ///< a replica receives nothing from its master
    delay_renewal, ///< a renewal arrives after its holder's release, the next holder's, and a loss
                   ///< of data between the two
};
inline constexpr unsigned fault_kinds = 12; ///< that deployment::quorum has: the first ones

struct fault {
    sim_time at{};
    fault_kind kind{};
    unsigned client = 0;
    unsigned node = 0;
    sim_time span{};
    unsigned variant = 0;
    /// Waits until the client next sends a request to the node that calls this script, because
    /// faults that hit nothing find nothing. Null: it waits for nothing.
    const engine::redis::script* armed = nullptr;
};

/// What a caller does: it waits for the lock, holds it and releases it.
struct caller_step {
    sim_time think{};
    base::milliseconds lease{0};
    sim_time wait{}; ///< at most; 0: a try, `never_again`: no limit
    sim_time hold{}; ///< how long it keeps the lock
    bool renews = true;
    unsigned extensions = 0; ///< so often it extends the lease, to the other of the two
    sim_time cancel_after{}; ///< `never_again`: it does not cancel
};

struct scenario {
    std::uint64_t seed = 0;
    sim::deployment deployment = deployment::quorum;
    unsigned nodes = 1;
    unsigned clients = 2;
    unsigned callers = 1;   ///< per client
    unsigned events = 1000; ///< with faults; then they stop
    mistake planted = mistake::none;
    std::vector<fault> faults{};

    link_conditions network{};
    link_conditions replication{};
    std::vector<clock_rate> client_rates{};
    std::vector<clock_rate> node_rates{};
    std::vector<sim_time> client_offsets{}; ///< of their wall clocks
    std::vector<sim_time> node_offsets{};

    base::milliseconds least_lease{0};
    base::milliseconds longest_lease{0};
    base::milliseconds margin{0}; ///< 0: the default
    base::milliseconds connect_timeout{0};
    base::milliseconds command_timeout{0};
    base::milliseconds connect_wait{0};
    sim_time longest_think{};
    sim_time longest_hold{};

    // With deployment::grace and deployment::failover, as in the URL.
    base::milliseconds max_lease{0};
    unsigned replicas = 0;

    [[nodiscard]] bool is_quorum() const noexcept {
        return deployment == deployment::quorum && nodes > 1;
    }
    [[nodiscard]] bool has_grace() const noexcept { return max_lease.count() > 0; }
    /// How long nothing new is granted after lost data.
    [[nodiscard]] base::milliseconds grace_period() const noexcept;
};

struct sim_setup {
    std::uint64_t seed = 0;
    sim::deployment deployment = deployment::quorum;
    /// Of deployment::failover 0: as the seed says. deployment::grace has one in any case.
    unsigned nodes = 1;
    unsigned events = 1000;
    mistake planted = mistake::none;
};

[[nodiscard]] scenario make_scenario(const sim_setup& setup);
/// What a caller does next; the same for the same seed, whatever else happens.
[[nodiscard]] caller_step step_of(const scenario& scenario, unsigned client, unsigned caller,
                                  unsigned number);

/// e.g. `link 0-1 breaks, late by 30 ms`.
[[nodiscard]] std::string describe(const fault& fault);
[[nodiscard]] std::string describe(const scenario& scenario);
/// e.g. `1.5 s`.
[[nodiscard]] std::string span_text(sim_time span);

} // namespace holdfast::sim
