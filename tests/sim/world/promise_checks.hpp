#pragma once
// The promises of docs/safety.md, checked after every event.

#include "sim/world/node_hold.hpp"
#include "sim/world/scenario.hpp"
#include "sim/world/sim_client.hpp"
#include "sim/world/sim_node.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::sim {

/// Thread safety: none.
class promise_checks final : public client_listener {
public:
    /// All of them outlive it.
    promise_checks(const scenario& scenario, const sim_time& now, std::deque<sim_node>& nodes)
        : scenario_{scenario},
          now_{now},
          nodes_{nodes},
          holds_(scenario.nodes),
          highest_(scenario.nodes) {}

    /// Empty: all promises were kept so far.
    [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
    void fail(const std::string& sentence);

    void on_lease_began(const ticket_id& ticket, std::uint64_t token,
                        std::int64_t wall_us) override;
    void on_lease_lost(const ticket_id& ticket, loss reason) override;
    void on_ticket_over(const ticket_id& ticket, bool confirmed) override;
    void on_ticket_refused(const ticket_id& ticket) override;
    void on_caller_served(unsigned client, unsigned caller) override;

    // After each event: `begin_round`, `check` of each client, `end_round`.
    void begin_round() noexcept { valid_ = nullptr; }
    void check(sim_client& client);
    void end_round();

    /// P4, P5: a request of `client` was processed by the node. Call it after each.
    void on_node_changed(unsigned node, unsigned client);
    /// The node's data changed without a request. `lost`: it forgets what it knew.
    void on_node_replaced(unsigned node, bool lost);
    /// A client uses another server from now on, or a server is a replica from now on.
    void on_topology_changed() noexcept { changed_ = now_; }
    /// An operator has broken the lock. If no majority has the hold any more, its holder may go on
    /// until its next renewal. That fails if the break was of all nodes; else the hold may be made
    /// again on other nodes.
    void on_broken(const sim_client& client, const ticket_id& ticket, bool on_all);
    [[nodiscard]] const std::optional<node_hold>& hold_on(unsigned node) const {
        return holds_[node];
    }

    /// How often callers got the lock since then.
    void count_from_now() { served_.clear(); }
    [[nodiscard]] bool was_served(unsigned client, unsigned caller) const {
        return served_.contains({client, caller});
    }
    /// P5, at the end, of one node: `lives[client]` is the life of each client, which has no more
    /// to do.
    void check_leftovers(unsigned node, const std::vector<unsigned>& lives);
    [[nodiscard]] unsigned leases() const noexcept { return leases_; }
    [[nodiscard]] unsigned losses() const noexcept { return losses_; }

private:
    void check_lease(sim_client& client, sim_client::held_lease& lease);
    void check_server();
    void check_granted(unsigned node, const node_hold& granted);
    void check_kept(unsigned node, const node_hold& before, unsigned client);
    void check_token(unsigned node, const node_hold& granted);
    void note_highest(unsigned node);
    [[nodiscard]] bool tokens_are_promised(std::int64_t wall_us) const;
    [[nodiscard]] bool has_majority(const ticket_id& ticket) const;
    [[nodiscard]] sim_time longest_delay() const;

    const scenario& scenario_;
    const sim_time& now_;
    std::deque<sim_node>& nodes_;
    std::string violation_;
    std::vector<std::optional<node_hold>> holds_; ///< by node, after the last request
    /// The highest token that a node knows, and who had it, if that is known.
    struct highest_token {
        std::uint64_t token = 0;
        std::optional<ticket_id> holder{};
    };
    std::vector<highest_token> highest_;        ///< by node, with max_lease only
    std::map<ticket_id, std::uint64_t> tokens_; ///< of all leases, likewise
    std::map<ticket_id, sim_time> over_;        ///< confirmed, and since when
    /// Since when, by the client's clock; `never`: on some nodes only.
    std::map<ticket_id, base::instant> broken_;
    std::set<ticket_id> broken_somewhere_; ///< also on a minority
    std::set<ticket_id> expired_;          ///< leases that were not renewed in time
    std::set<std::pair<unsigned, unsigned>> served_;
    const sim_client::held_lease* valid_ = nullptr; ///< the one in this round
    sim_time valid_until_{};
    std::uint64_t last_token_ = 0;
    ticket_id last_holder_{};
    bool data_lost_ = false; ///< since the last lease began
    sim_time changed_{-1};   ///< when data was lost last, or the topology has changed
    unsigned leases_ = 0;
    unsigned losses_ = 0;
};

} // namespace holdfast::sim
