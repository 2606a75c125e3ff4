#pragma once
// The servers of an engine, and which of them serves a lock.

#include "holdfast/engine/redis/node/node.hpp"
#include "holdfast/engine/redis/op_target.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// Owns the nodes, and the `server_source` that gives each its current address: Sentinel changes
/// the endpoint of its one node, a cluster has a node, and a source, per master.
///
/// Thread safety: none.
class topology {
public:
    topology() = default;
    topology(const topology&) = delete;
    topology& operator=(const topology&) = delete;
    virtual ~topology() = default;

    /// The node that serves a lock; for an empty name any of them.
    [[nodiscard]] virtual node& node_for(const op_target& target) = 0;
    /// For a walk over all nodes in the order of their addresses: the first one from this address
    /// on, or after it; `found` becomes its address. Null: there is none. Only for a topology that
    /// spreads locks over nodes.
    [[nodiscard]] virtual node* node_from(std::string_view /*address*/, bool /*after*/,
                                          std::string& /*found*/) {
        return nullptr;
    }
    /// All nodes in use. A node keeps its index as long as the topology lives.
    [[nodiscard]] virtual std::span<node* const> nodes() const noexcept = 0;

    /// As of the engine: here of all nodes. A topology that has connections of its own, to find the
    /// nodes by, adds these.
    virtual void pollables(std::vector<pollfd>& out) const;
    virtual void drive(std::span<const pollfd> ready, base::instant now);
    [[nodiscard]] virtual base::instant due() const noexcept;
    virtual void reset() noexcept;
    /// The server of a node that is ready, for `diagnose`.
    [[nodiscard]] virtual std::string about(const node& node) const { return node.about(); }
};

/// The topology that the options name. The nodes subscribe to `inbox_channels` for `inbox`, and
/// tell `listener` of their connections.
[[nodiscard]] std::unique_ptr<topology> make_topology(const options& options,
                                                      std::vector<std::string> inbox_channels,
                                                      message_handler& inbox,
                                                      node_listener& listener);

} // namespace holdfast::engine::redis
