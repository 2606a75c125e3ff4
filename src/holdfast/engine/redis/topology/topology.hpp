#pragma once
// The servers of an engine, and which of them serves a lock.

#include "holdfast/engine/redis/node/node.hpp"

#include <span>
#include <string_view>

namespace holdfast::engine::redis {

/// Owns the nodes. A topology is also the `server_source` of its nodes, with their current
/// addresses: Sentinel changes the endpoint of its one node, a cluster has a node per master.
///
/// Thread safety: none.
class topology {
public:
    topology() = default;
    topology(const topology&) = delete;
    topology& operator=(const topology&) = delete;
    virtual ~topology() = default;

    /// The node that serves a lock's name; for an empty name any of them.
    [[nodiscard]] virtual node& node_for(std::string_view name) noexcept = 0;
    /// All nodes in use. A node keeps its index as long as the topology lives.
    [[nodiscard]] virtual std::span<node* const> nodes() const noexcept = 0;
};

} // namespace holdfast::engine::redis
