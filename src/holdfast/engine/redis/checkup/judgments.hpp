#pragma once
// Judges the facts about servers: ok, warning or danger; it has no I/O.

#include "holdfast/engine/checkup.hpp"
#include "holdfast/engine/redis/checkup/cluster_view.hpp"
#include "holdfast/engine/redis/checkup/sentinel_view.hpp"
#include "holdfast/engine/redis/checkup/server_facts.hpp"
#include "holdfast/engine/redis/options.hpp"

#include <string>
#include <vector>

namespace holdfast::engine::redis {

enum class deployment : std::uint8_t { standalone, sentinel, cluster, quorum_node };

/// What a server is there for.
struct server_terms {
    redis::deployment deployment = deployment::standalone;
    bool is_replica = false; ///< of the server that holds the locks
    unsigned replicas = 0;   ///< that must acknowledge, as the URL says
    bool max_lease = false;  ///< lost data delays new grants instead of allowing two holders
};

/// Whether the server can be reached and lets this user in; false: nothing else is known.
bool judge_access(const server_facts& facts, const server_terms& terms, checkup& out);
/// Whether it is what the URL says: version, mode and role. False: it cannot serve locks.
bool judge_identity(const server_facts& facts, const server_terms& terms, checkup& out);
/// TLS and password.
void judge_privacy(const net::endpoint& server, bool has_password, checkup& out);
/// What this user may not ask.
void judge_rights(const server_facts& facts, checkup& out);
/// Eviction and maxmemory.
void judge_memory(const server_facts& facts, checkup& out);
void judge_persistence(const server_facts& facts, const server_terms& terms, checkup& out);
/// Replicas and min-replicas-to-write, of a master.
void judge_replication(const server_facts& facts, const server_terms& terms, checkup& out);
/// The link of a replica to its master.
void judge_replica(const server_facts& facts, checkup& out);
void judge_scripts(const server_facts& facts, checkup& out);
void judge_keys(const server_facts& facts, const std::string& prefix, checkup& out);
/// Whether a node of a quorum votes. `wall_us` is our clock.
void judge_vote(const server_facts& facts, std::int64_t wall_us, checkup& out);

/// The state of a cluster, as one of its nodes sees it.
void judge_cluster(const server_facts& facts, const cluster_view& view, checkup& out);
/// What sentinels say about the master.
void judge_sentinels(const std::vector<sentinel_view>& sentinels, const std::string& master,
                     checkup& out);

} // namespace holdfast::engine::redis
