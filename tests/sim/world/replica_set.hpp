#pragma once
// Asynchronous replication between the nodes of a run.

#include "holdfast/base/random.hpp"
#include "sim/world/event_queue.hpp"
#include "sim/world/sim_network.hpp"
#include "sim/world/sim_node.hpp"
#include "sim/world/sim_time.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace holdfast::sim {

/// A master sends each version of its data to the replicas that follow it, in order; they
/// acknowledge it. A replica that begins to follow a master gets all its data first. A replica of a
/// server that is no master itself gets nothing.
///
/// Thread safety: none.
class replica_set {
public:
    /// All of them outlive it. Node 0 is the master, and the others have its data.
    replica_set(std::deque<sim_node>& nodes, const link_conditions& conditions, const sim_time& now,
                event_queue& events);

    /// Sends what has changed on a node to its replicas.
    void publish(unsigned master);
    /// Delivers what is due of the messages of a link, from its master or from its replica. Returns
    /// the node to which they go: a replica has other data now, and a master's replicas have
    /// acknowledged more.
    unsigned arrive_at_replica(unsigned link);
    unsigned arrive_at_master(unsigned link);

    /// REPLICAOF. The old master learns of it after `delay`.
    void follow(unsigned replica, unsigned master, sim_time delay);
    /// REPLICAOF NO ONE. Likewise.
    void promote(unsigned node, sim_time delay);
    [[nodiscard]] bool is_master(unsigned node) const {
        return !nodes_[node].server.replication().is_replica();
    }
    [[nodiscard]] unsigned master_of(unsigned replica) const { return masters_[replica]; }

    /// It has crashed: all its links end.
    void on_stopped(unsigned node);
    /// It is up again, or a master again.
    void on_started(unsigned node);
    /// A replica is cut off from all others until then.
    void stall(unsigned replica, sim_time until);
    void heal();

private:
    struct version_message {
        sim_time due{};
        data_version version{};
    };
    struct acknowledgement {
        sim_time due{};
        std::uint64_t offset = 0; ///< 0: the replica has left
    };
    /// Between a replica and one that is, was or may become its master.
    struct replica_link {
        bool is_open = false; ///< as the replica sees it
        std::uint64_t sent = 0;
        std::deque<version_message> to_replica{};
        std::deque<acknowledgement> to_master{};
        sim_time last_to_replica{};
        sim_time last_to_master{};
        base::jitter random{0};
    };

    [[nodiscard]] replica_link& link(unsigned replica, unsigned master) {
        return links_[replica * nodes_.size() + master];
    }
    [[nodiscard]] unsigned index(unsigned replica, unsigned master) const {
        return replica * static_cast<unsigned>(nodes_.size()) + master;
    }
    [[nodiscard]] bool is_up(unsigned node) const { return nodes_[node].ready_at != never_again; }
    [[nodiscard]] sim_time delay(replica_link& link);
    void open(unsigned replica);
    void leave(unsigned replica, sim_time delay);
    void send_version(unsigned replica, unsigned master);
    void acknowledge(unsigned replica, unsigned master, std::uint64_t offset, sim_time delay);
    /// Both sides know at once that it has ended.
    void reset(unsigned replica, unsigned master);

    std::deque<sim_node>& nodes_;
    link_conditions conditions_;
    const sim_time& now_;
    event_queue& events_;
    std::vector<replica_link> links_;
    std::vector<unsigned> masters_;       ///< that each node follows, or has followed last
    std::vector<sim_time> stalled_until_; ///< of each replica
};

} // namespace holdfast::sim
