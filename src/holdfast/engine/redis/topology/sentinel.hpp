#pragma once
// One master that sentinels watch and replace.

#include "holdfast/engine/redis/node/backoff.hpp"
#include "holdfast/engine/redis/topology/master_claims.hpp"
#include "holdfast/engine/redis/topology/sentinel_link.hpp"
#include "holdfast/engine/redis/topology/topology.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::engine::redis {

/// One node that moves. Before each connection the sentinels are asked, so that no client returns
/// to a former master. When they name another master, the session ends and the node connects there
/// at once.
///
///  idle        the node wants an endpoint: searching
///  searching   the claims are decided: idle, and the node connects | they fail: pausing
///  pausing     when due, or at once for a try: searching
///  any         the claims name another master than the node's: idle, and the node connects
///
/// Thread safety: none.
class sentinel final : public topology, private server_source, private node_listener {
public:
    sentinel(const options& options, std::vector<std::string> inbox_channels,
             message_handler& inbox, node_listener& listener);

    [[nodiscard]] node& node_for(const op_target& /*target*/) override { return node_; }
    [[nodiscard]] std::span<node* const> nodes() const noexcept override { return nodes_; }

    void pollables(std::vector<pollfd>& out) const override;
    void drive(std::span<const pollfd> ready, base::instant now) override;
    [[nodiscard]] base::instant due() const noexcept override;
    void reset() noexcept override;
    [[nodiscard]] std::string about(const node& node) const override;

    /// Rejects all but masters: the sentinels may not know yet, or may not be right.
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;

private:
    enum class state : std::uint8_t { idle, searching, pausing };

    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant now,
                                                        connect_when when) override;
    [[nodiscard]] std::string server() const override;
    [[nodiscard]] std::string why_no_endpoint() const override;

    void on_ready(node& node, bool again, base::instant now) override;
    void on_ended(node& node, const connection_loss& loss) override;

    void search(base::instant now, connect_when when);
    void finish_search(base::instant now);
    void follow_claims(base::instant now);
    void connect(announced_address master, base::instant now);

    const options& options_;
    node_listener& listener_;
    master_claims claims_;
    std::vector<std::unique_ptr<sentinel_link>> links_;
    state state_ = state::idle;
    std::optional<announced_address> master_; ///< the last that was decided on
    bool confirmed_ = false; ///< by the sentinels, for the connection that is about to open
    bool moving_ = false;    ///< the node's connection is ended because the master is elsewhere
    search_failure failure_;
    base::instant retry_ = base::never; ///< while pausing
    backoff wait_;
    node node_;
    const std::array<node*, 1> nodes_{&node_};
};

} // namespace holdfast::engine::redis
