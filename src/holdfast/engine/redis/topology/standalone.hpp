#pragma once
// One server, at the address that the URL names.

#include "holdfast/engine/redis/topology/topology.hpp"

#include <array>

namespace holdfast::engine::redis {

class standalone final : public topology, private server_source {
public:
    standalone(const options& options, std::vector<std::string> inbox_channels,
               message_handler& inbox, node_listener& listener);

    [[nodiscard]] node& node_for(const op_target& /*target*/) override { return node_; }
    [[nodiscard]] std::span<node* const> nodes() const noexcept override { return nodes_; }

    void drive(std::span<const pollfd> ready, base::instant now) override {
        node_.drive(ready, now);
    }
    [[nodiscard]] base::instant due() const noexcept override { return node_.due(); }

    /// Rejects a node of a cluster, which serves only some names, and a replica, which is
    /// read-only.
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;

private:
    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant /*now*/,
                                                        connect_when /*when*/) override {
        return options_.server;
    }
    [[nodiscard]] std::string server() const override {
        return "Redis at " + options_.server.text();
    }

    const options& options_;
    node node_;
    const std::array<node*, 1> nodes_{&node_};
};

} // namespace holdfast::engine::redis
