#pragma once
// Starts a Redis Cluster for a test: masters, and replicas of them if asked for.

#include "support/redis_server.hpp"
#include "support/timing.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

struct cluster_group_options {
    unsigned masters = 3;
    unsigned replicas = 1;                     ///< of each master
    milliseconds node_timeout = scaled(500ms); ///< a silent node is replaced
    std::string password{};
    std::optional<redis_server_tls> tls{};       ///< among the nodes too
    std::vector<std::string> server_arguments{}; ///< e.g. {"--cluster-require-full-coverage", "no"}
    /// Steps the nodes' clocks to skip a delay of two seconds. With replicas they stay 3 s ahead.
    bool quick_start = true;
};

/// The constructor returns when all nodes agree that the cluster serves all slots, and the replicas
/// are in sync. The masters have equal shares of the slots, in their order. All on 127.0.0.1; see
/// redis_server for how they end.
///
/// Thread safety: none.
class cluster_group {
public:
    static constexpr unsigned slot_count = 16'384;

    explicit cluster_group(cluster_group_options options = {});

    /// redis+cluster://[:password@]127.0.0.1:PORT,... of all nodes, and `query`.
    [[nodiscard]] std::string url(const std::string& query = {}) const;

    [[nodiscard]] unsigned slot_of(const std::string& key);
    /// The master that most nodes name, which runs.
    [[nodiscard]] redis_server& master_of_slot(unsigned slot);
    [[nodiscard]] redis_server& master_of(const std::string& key);
    /// A replica of this master, which runs.
    [[nodiscard]] redis_server& replica_of(redis_server& master);
    /// Another master than this, which runs.
    [[nodiscard]] redis_server& other_master(const redis_server& master);

    /// The three steps of a migration. In between the slot is half migrated: `from` answers ASK for
    /// keys that it lacks, `to` serves keys after ASKING.
    void begin_move(unsigned slot, redis_server& from, redis_server& to);
    void move_keys(unsigned slot, redis_server& from, redis_server& to);
    /// Tells all nodes that run, the new owner first, and waits until they agree: a node that does
    /// not know of the last move would undo the next one.
    void finish_move(unsigned slot, redis_server& to);
    /// All three, from the present owner. No effect if that is `to`.
    void move_slot(unsigned slot, redis_server& to);
    /// Moves one key, of a slot that is half migrated.
    void move_key(const std::string& key, redis_server& from, redis_server& to);

    /// CLUSTER FAILOVER: a replica takes over, nothing is lost; returns when all nodes know. Waits
    /// first until the replica knows all slots: it would take back one that has just moved.
    void fail_over(redis_server& master);
    /// Waits until all nodes that run name another owner of the slot than this, and are ok.
    [[nodiscard]] bool moves_from(const redis_server& former, unsigned slot);
    /// Waits until all nodes that run agree on who serves each slot, and the replicas are in sync.
    [[nodiscard]] bool is_whole();

    std::deque<redis_server> nodes; ///< the masters first, then a replica of each in their order

private:
    void start_nodes();
    void introduce_nodes();
    void assign_slots();
    void attach_replicas();
    void wait_for_replica(redis_server& master, redis_server& replica);
    void end_start_delay();
    void set_node_timeout(milliseconds timeout);
    [[nodiscard]] bool knows_all(redis_server& node) const;
    [[nodiscard]] bool agree_on_slots();
    [[nodiscard]] int owner_port(redis_server& node, unsigned slot) const;
    [[nodiscard]] redis_server& node_at(int port);

    const cluster_group_options options_;
};

/// A field of CLUSTER INFO; empty: none, or the node does not run.
[[nodiscard]] std::string cluster_info(redis_server& node, std::string_view field);

/// Whether this node says that it is a master.
[[nodiscard]] bool is_master(redis_server& node);

} // namespace holdfast::test
