#pragma once
// A Redis Cluster: locks are spread over masters by the slots of their keys.

#include "holdfast/engine/redis/node/backoff.hpp"
#include "holdfast/engine/redis/topology/cluster_node.hpp"
#include "holdfast/engine/redis/topology/map_link.hpp"
#include "holdfast/engine/redis/topology/recent_moves.hpp"
#include "holdfast/engine/redis/topology/slot_map.hpp"
#include "holdfast/engine/redis/topology/topology.hpp"

#include <memory>
#include <vector>

namespace holdfast::engine::redis {

/// One node per master, connected when a lock needs it. Any node of the cluster knows the slots:
/// they are asked for at first, when a node names another one (MOVED) or cannot be reached, and now
/// and then.
///
///  unknown   an operation needs a node: asking
///  asking    the slots are found: known | no node knows them: pausing, or known if they were
///  pausing   when due, or at once for a try: asking
///  known     when due: asking, while operations go on by the slots that are known
///
/// Operations whose slot has no owner, or is not known yet, wait for `nowhere_`, a node that never
/// connects. They fail when the slots have been asked for.
///
/// Thread safety: none.
class cluster final : public topology, private server_source, private node_listener {
public:
    cluster(const options& options, std::vector<std::string> inbox_channels, message_handler& inbox,
            node_listener& listener);

    [[nodiscard]] node& node_for(const op_target& target) override;
    [[nodiscard]] node* node_from(std::string_view address, bool after,
                                  std::string& found) override;
    [[nodiscard]] std::span<node* const> nodes() const noexcept override { return nodes_; }

    void pollables(std::vector<pollfd>& out) const override;
    void drive(std::span<const pollfd> ready, base::instant now) override;
    [[nodiscard]] base::instant due() const noexcept override;
    void reset() noexcept override;
    [[nodiscard]] std::string about(const node& node) const override;

private:
    // Of `nowhere_`.
    [[nodiscard]] std::optional<net::endpoint> endpoint(base::instant now,
                                                        connect_when when) override;
    [[nodiscard]] std::string server() const override { return "the cluster"; }
    [[nodiscard]] std::string why_no_endpoint() const override;
    [[nodiscard]] std::optional<rejection> reject(const hello& hello) const override;

    void on_ready(node& node, bool again, base::instant now) override;
    void on_ended(node& node, const connection_loss& loss) override;
    bool on_refused(node& node, request& request, std::string_view error,
                    base::instant now) override;

    [[nodiscard]] cluster_node& owner_of(node& node) noexcept;
    [[nodiscard]] cluster_node* use(slot_map::index master);
    void want_slots(base::instant when) noexcept { ask_at_ = std::min(ask_at_, when); }
    void ask_for_slots(base::instant now);
    void on_slots(base::instant now);
    void on_no_slots(base::instant now);
    void free_closed() noexcept;
    void note_move(base::instant now) noexcept;
    void choose_acknowledged_key(slot_map::index master);

    const options& options_;
    const std::vector<std::string> inbox_channels_;
    message_handler& inbox_;
    node_listener& listener_;
    slot_map map_;
    recent_moves moves_;
    map_link link_;
    std::vector<std::unique_ptr<cluster_node>> masters_; ///< by their indexes in `map_`
    std::vector<node*> nodes_;                           ///< likewise
    node nowhere_;
    bool known_ = false;                  ///< the slots
    base::instant ask_at_ = base::never;  ///< when to ask for the slots
    base::instant asked_{};               ///< when they were asked for last
    unsigned outage_questions_ = 0;       ///< since a node failed
    bool ask_another_ = false;            ///< the node that was asked last is not up to date
    base::instant tell_at_ = base::never; ///< when to tell that locks have moved
    base::instant told_{};                ///< when that was last
    connection_loss failure_{};
    backoff wait_;
};

} // namespace holdfast::engine::redis
