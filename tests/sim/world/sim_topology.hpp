#pragma once
// Which server is the master, and which one each client believes to be it.

#include "sim/world/promise_checks.hpp"
#include "sim/world/replica_set.hpp"
#include "sim/world/scenario.hpp"
#include "sim/world/sim_network.hpp"
#include "sim/world/timeline.hpp"

#include <deque>
#include <vector>

namespace holdfast::sim {

/// What a topology needs of its run; all of it outlives the topology.
struct topology_context {
    const sim::scenario& scenario;
    const sim_time& now;
    event_queue& events;
    sim::timeline& timeline;
    std::deque<sim_node>& nodes;
    sim_network& network;
    promise_checks& checks;
};

/// Does what sentinels do: promotes a replica, makes the others and the old master follow it, and
/// tells the clients. All that takes time, and happens in any order. Replicas never return to an
/// old master that was neither demoted nor restarted.
///
/// Thread safety: none.
class sim_topology {
public:
    explicit sim_topology(const topology_context& context);

    [[nodiscard]] replica_set& replicas() noexcept { return replicas_; }
    [[nodiscard]] unsigned master() const noexcept { return master_; }
    /// The master before; at first the same.
    [[nodiscard]] unsigned previous() const noexcept { return previous_; }
    [[nodiscard]] unsigned believed(unsigned client) const { return believed_[client]; }

    /// Promotes the fault's node, or another that can be. False: there is none.
    [[nodiscard]] bool fail_over(const fault& fault);
    /// The node follows the master, from now on or when it can.
    void follow_master(unsigned node);
    /// The client hears of a master; it may be an old one.
    void tell(unsigned client, unsigned master);
    void on_node_back(unsigned node);
    /// All faults have ended: everybody knows the master.
    void calm_down();

private:
    [[nodiscard]] sim_time below(sim_time most);

    topology_context context_;
    replica_set replicas_;
    base::jitter random_;
    unsigned master_ = 0;
    unsigned previous_ = 0;
    std::vector<unsigned> believed_; ///< by client
};

} // namespace holdfast::sim
