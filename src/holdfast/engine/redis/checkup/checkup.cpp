#include "holdfast/engine/redis/checkup/checkup.hpp"

#include "holdfast/engine/redis/checkup/collect_facts.hpp"
#include "holdfast/engine/redis/checkup/judgments.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr std::size_t max_nodes = 256; // of a cluster that are asked

/// One examination, from the URL to the findings.
class examination {
public:
    examination(const url& url, const checkup_terms& terms)
        : options_{options::from(url)}, terms_{terms} {
        if (options_.sentinel) {
            watched_master();
        } else if (options_.cluster) {
            cluster();
        } else {
            const bool node = terms.quorum_node;
            examine(options_.server, node ? deployment::quorum_node : deployment::standalone);
            if (!node) { judge_clocks(out_.clocks, clock_use::tokens, out_); }
        }
    }

    [[nodiscard]] checkup take() { return std::move(out_); }

private:
    /// All that concerns one server; false: it cannot serve locks.
    bool examine(const net::endpoint& server, deployment deployment, bool is_replica = false) {
        const server_terms terms{deployment, is_replica, options_.replicas,
                                 options_.max_lease > base::milliseconds::zero()};
        const auto facts = collect_facts(server, options_, terms_.timeout);
        const bool good = judge(server, facts, terms);
        if (!good && !is_replica && deployment != deployment::cluster) { out_.usable = false; }
        return good;
    }

    bool judge(const net::endpoint& server, const server_facts& facts, const server_terms& terms) {
        if (!judge_access(facts, terms, out_)) { return false; }
        judge_privacy(server, !options_.password.empty(), out_);
        const bool good = judge_identity(facts, terms, out_);
        judge_rights(facts, out_);
        if (facts.clock) { out_.clocks.push_back(*facts.clock); }
        if (!good) { return false; }
        judge_memory(facts, out_);
        judge_scripts(facts, out_);
        if (terms.is_replica || facts.role != "master") {
            judge_replica(facts, out_);
        } else {
            judge_persistence(facts, terms, out_);
            judge_replication(facts, terms, out_);
            judge_keys(facts, options_.prefix, out_);
        }
        if (terms.deployment == deployment::quorum_node) {
            judge_vote(facts, base::system_time().wall_us(), out_);
        }
        if (terms.deployment == deployment::cluster) { on_cluster_node(server, facts); }
        return true;
    }

    [[nodiscard]] net::endpoint reachable(const announced_address& address) const {
        auto out = options_.map.translate(address.host, address.port);
        out.tls = options_.server.tls;
        return out;
    }

    void watched_master() {
        std::vector<sentinel_view> views;
        for (const auto& sentinel : options_.sentinel->servers) {
            views.push_back(ask_sentinel(sentinel, options_, terms_.timeout));
        }
        judge_sentinels(views, options_.sentinel->master, out_);
        const auto newest = std::max_element(
            views.begin(), views.end(), [](const sentinel_view& a, const sentinel_view& b) {
                return std::pair{a.knows_it, a.epoch} < std::pair{b.knows_it, b.epoch};
            });
        if (newest == views.end() || !newest->knows_it) {
            out_.usable = false;
            return;
        }
        examine(reachable(newest->master.address), deployment::sentinel);
        for (const auto& replica : newest->replicas) {
            if (!replica.is_down) {
                examine(reachable(replica.address), deployment::sentinel, true);
            }
        }
        judge_clocks(out_.clocks, clock_use::deadlines, out_);
    }

    void cluster() {
        pending_ = options_.cluster->seeds;
        bool some_serve = false;
        for (std::size_t at = 0; at < pending_.size() && at < max_nodes; ++at) {
            const auto server = pending_[at];
            some_serve = examine(server, deployment::cluster) || some_serve;
        }
        out_.usable = some_serve;
        judge_clocks(out_.clocks, clock_use::deadlines, out_);
    }

    /// Judges the cluster by the first node that answers, and adds the nodes that it names. Every
    /// node says whether it serves.
    void on_cluster_node(const net::endpoint& server, const server_facts& facts) {
        if (facts.cluster_info.empty() || facts.cluster_nodes.empty()) {
            return out_.warn(
                "rights", facts.address,
                "the state of the cluster could not be checked: CLUSTER INFO or "
                "CLUSTER NODES was refused",
                "run the doctor once as an administrator of the server; clients do not "
                "need the right");
        }
        const auto view = read_cluster(facts.cluster_info, facts.cluster_nodes, server.host);
        if (std::exchange(cluster_is_judged_, true)) {
            if (view.state != "ok") { judge_cluster(facts, {view.state, slot_count, {}}, out_); }
            return;
        }
        judge_cluster(facts, view, out_);
        for (const auto& member : view.members) {
            auto address = reachable(member.address);
            const bool known =
                std::any_of(pending_.begin(), pending_.end(), [&](const net::endpoint& other) {
                    return other.text() == address.text();
                });
            if (!known && !member.failed) { pending_.push_back(std::move(address)); }
        }
    }

    const options options_;
    const checkup_terms terms_;
    std::vector<net::endpoint> pending_; ///< nodes of a cluster, those that were asked first
    bool cluster_is_judged_ = false;
    checkup out_;
};

} // namespace

checkup check_up(const url& url, const checkup_terms& terms) {
    return examination{url, terms}.take();
}

} // namespace holdfast::engine::redis
