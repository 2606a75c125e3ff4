#pragma once
// What one sentinel says about the master that it watches; it has no I/O.

#include "holdfast/engine/redis/protocol/reply.hpp"
#include "holdfast/engine/redis/server_list.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

/// A server or sentinel that a sentinel knows.
struct watched_server {
    announced_address address{};
    std::string flags{};
    bool is_down = false;
};

struct sentinel_view {
    std::string address{};
    std::string failure{}; ///< it cannot be reached, or refuses us; empty: it answers
    bool is_login = false; ///< the failure is about user or password
    bool knows_it = false; ///< the master by this name
    watched_server master{};
    std::uint64_t epoch = 0;    ///< of the master's last failover
    std::uint64_t quorum = 0;   ///< how many sentinels must agree that it is down
    std::uint64_t others = 0;   ///< sentinels that it knows beside itself
    std::string quorum_error{}; ///< why it could not start a failover; empty: it could
    std::vector<watched_server> replicas{};
};

/// The reply to SENTINEL MASTER: a flat list of keys and values, or an error.
void read_master(const reply& reply, sentinel_view& out);
/// The reply to SENTINEL REPLICAS: such a list for each.
[[nodiscard]] std::vector<watched_server> read_replicas(const reply& reply);

} // namespace holdfast::engine::redis
