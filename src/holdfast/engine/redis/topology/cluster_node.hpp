#pragma once
// One master of a cluster.

#include "holdfast/engine/redis/node/node.hpp"
#include "holdfast/engine/redis/server_list.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::engine::redis {

/// A node and its place in the cluster.
///
///  in use    it has lost its slots: retired, and its connection ends
///  retired   it has slots again, or a slot is being moved to it: in use | it is closed: its object
///            may serve another address
///
/// Thread safety: none.
class cluster_node final : private server_source {
public:
    cluster_node(const options& options, std::vector<std::string> inbox_channels,
                 message_handler& inbox, node_listener& listener)
        : options_{options}, node_{options, *this, std::move(inbox_channels), inbox, listener} {}

    [[nodiscard]] redis::node& node() noexcept { return node_; }
    [[nodiscard]] const announced_address& address() const noexcept { return address_; }
    [[nodiscard]] net::endpoint reachable() const;
    [[nodiscard]] bool is_retired() const noexcept { return retired_; }

    /// `replaces`: it takes over from another node, so holds and waiters must be looked after.
    void use(const announced_address& address, bool replaces);
    void retire();
    /// Slots are being moved to it: it is not retired before `until`.
    void keep_until(base::instant until) noexcept { kept_until_ = until; }
    [[nodiscard]] bool is_kept(base::instant now) const noexcept { return now < kept_until_; }

    [[nodiscard]] bool replaces() const noexcept { return replaces_; }
    [[nodiscard]] bool take_replaces() noexcept { return std::exchange(replaces_, false); }
    void set_down(bool down) noexcept { down_ = down; }
    /// Its last connection has failed, and there is no new one yet.
    [[nodiscard]] bool is_down() const noexcept { return down_ && !retired_; }

    /// Which of its slots has the key that its replicas acknowledge: another one after a refusal.
    unsigned acknowledged_slot = 0;

private:
    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant now,
                                                        connect_when when) override;
    [[nodiscard]] std::string server() const override;
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;

    const options& options_;
    announced_address address_;
    bool retired_ = true;
    bool replaces_ = false;
    bool down_ = false;
    base::instant kept_until_{};
    redis::node node_;
};

} // namespace holdfast::engine::redis
