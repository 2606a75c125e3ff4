#pragma once
// The promises of docs/safety.md, checked after every event.

#include "sim/node/commands.hpp"
#include "sim/node/key_space.hpp"
#include "sim/world/sim_client.hpp"
#include "sim/world/sim_node.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::sim {

/// A node's record of the lock, as far as the checks need it.
struct node_hold {
    ticket_id ticket{};
    std::int64_t deadline_us = 0; ///< of the node's clock
    std::uint64_t token = 0;
};
/// Empty: nobody holds it at `now_us`.
[[nodiscard]] std::optional<node_hold> read_hold(const key_space& keys, std::int64_t now_us);

/// Thread safety: none.
class promise_checks final : public client_listener {
public:
    promise_checks(const sim_time& now, unsigned nodes) : now_{now}, nodes_(nodes) {}

    /// Empty: all promises were kept so far.
    [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
    void fail(const std::string& sentence);

    void on_lease_began(const ticket_id& ticket, std::uint64_t token) override;
    void on_lease_lost(const ticket_id& ticket, loss reason) override;
    void on_ticket_over(const ticket_id& ticket, bool confirmed) override;
    void on_caller_served(unsigned client, unsigned caller) override;

    /// P1, P2: of this client's leases. Between `begin_round` and `end_round`.
    void begin_round() noexcept { valid_ = nullptr; }
    void check(sim_client& client);
    /// P1 on one server: it keeps the hold of a valid lease for as long as that is valid.
    void check_server(const sim_node& server);

    /// P4, P5: a request of `client` was processed by a node. Call it after each.
    void on_node_changed(unsigned node, const key_space& keys, std::int64_t now_us,
                         unsigned client);
    /// The node's data changed without a request.
    void on_node_replaced(unsigned node, const key_space& keys, std::int64_t now_us);
    [[nodiscard]] const std::optional<node_hold>& hold_on(unsigned node) const {
        return nodes_[node];
    }

    /// How often callers got the lock since `count_from_now`.
    void count_from_now() { served_.clear(); }
    [[nodiscard]] bool was_served(unsigned client, unsigned caller) const {
        return served_.contains({client, caller});
    }
    [[nodiscard]] unsigned leases() const noexcept { return leases_; }
    [[nodiscard]] unsigned losses() const noexcept { return losses_; }

private:
    void check_lease(sim_client& client, sim_client::held_lease& lease);

    const sim_time& now_;
    std::string violation_;
    std::vector<std::optional<node_hold>> nodes_; ///< after the last request to each
    std::set<ticket_id> over_;                    ///< confirmed
    std::set<std::pair<unsigned, unsigned>> served_;
    const sim_client::held_lease* valid_ = nullptr; ///< the one in this round
    sim_time valid_until_{};
    std::uint64_t last_token_ = 0;
    ticket_id last_holder_{};
    unsigned leases_ = 0;
    unsigned losses_ = 0;
};

} // namespace holdfast::sim
