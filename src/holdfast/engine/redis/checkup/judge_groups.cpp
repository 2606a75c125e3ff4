// The health of a cluster, and of the sentinels that watch a master.

#include "holdfast/engine/redis/checkup/judgments.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

namespace {

void judge_member(const std::string& seen_by, const cluster_view& view,
                  const cluster_member& member, checkup& out) {
    const auto address = member.address.text();
    const char* const kind = member.is_master ? "the master" : "the replica";
    if (member.failed && (!member.is_master || member.slots == 0)) {
        out.warn("cluster-node", address,
                 std::string{kind} + " has failed, as " + seen_by + " says",
                 "start it again, or remove it with CLUSTER FORGET on every node");
    } else if (member.failed) {
        out.danger("cluster-node", address,
                   "the master has failed, and no replica has taken over its " +
                       std::to_string(member.slots) + " slots: their locks cannot be used",
                   "start it again, or run CLUSTER FAILOVER TAKEOVER on one of its replicas");
    } else if (member.suspected) {
        out.warn("cluster-node", address,
                 seen_by + " has no link to " + kind + ", or suspects that it has failed",
                 "see whether it runs, and whether the nodes reach each other's bus port");
    }
    if (member.open_slots > 0) {
        out.warn("cluster-node", address,
                 std::to_string(member.open_slots) +
                     " slots are being moved: a failover now can grant their locks a second time",
                 "finish the move (redis-cli --cluster fix) before any failover");
    }
    if (!member.is_master || member.failed || member.slots == 0) { return; }
    const bool has_replica =
        std::any_of(view.members.begin(), view.members.end(), [&](const cluster_member& other) {
            return !other.is_master && !other.failed && other.master == member.id;
        });
    if (!has_replica) {
        out.warn("cluster-node", address,
                 "the master has no replica: when it fails, the locks of its " +
                     std::to_string(member.slots) + " slots cannot be used",
                 "add a replica on another machine");
    }
}

/// Sentinels that answer but name another master than the first of them.
void judge_agreement(const std::vector<const sentinel_view*>& voices, checkup& out) {
    const auto& first = voices.front()->master.address;
    for (const auto* const voice : voices) {
        if (voice->master.address == first) { continue; }
        out.danger("sentinel", voice->address,
                   "it names the master " + voice->master.address.text() + ", but " +
                       voices.front()->address + " names " + first.text(),
                   "run the doctor again in a minute: a failover may be under way; else SENTINEL "
                   "RESET on the one with the lower config-epoch");
    }
}

void judge_sentinel(const sentinel_view& view, const std::string& master, checkup& out) {
    if (view.is_login) {
        out.danger("login", view.address, "the sentinel refuses us: " + view.failure,
                   "correct sentinel_user and sentinel_password in the URL, which are not those of "
                   "the servers of locks");
    } else if (!view.failure.empty()) {
        out.warn("sentinel", view.address, "the sentinel cannot be reached: " + view.failure,
                 "start it, or correct its address in the URL");
    } else if (!view.knows_it) {
        out.danger("sentinel", view.address, "it watches no master by the name " + master,
                   "correct the name in the URL; SENTINEL MASTERS lists the names");
    } else if (!view.quorum_error.empty()) {
        out.danger("sentinel", view.address, "it could not start a failover: " + view.quorum_error,
                   "start the missing sentinels, or correct the quorum of SENTINEL MONITOR");
    } else if (view.master.is_down) {
        out.danger("sentinel", view.address,
                   "it says that the master is down: " + view.master.flags,
                   "start the master, or wait for the failover");
    } else {
        out.ok("sentinel", view.address,
               "it watches the master " + view.master.address.text() + " and " +
                   std::to_string(view.replicas.size()) + " replicas");
    }
}

} // namespace

void judge_cluster(const server_facts& facts, const cluster_view& view, checkup& out) {
    if (view.covered < slot_count) {
        out.danger(
            "cluster", facts.address,
            std::to_string(slot_count - view.covered) + " of " + std::to_string(slot_count) +
                " slots have no master that works: locks whose names are in them cannot be "
                "used",
            "start the masters that are down, or assign the slots (redis-cli --cluster fix)");
    }
    if (view.state == "ok") {
        if (view.covered >= slot_count) {
            out.ok("cluster", facts.address, "cluster_state is ok, all slots have a master");
        }
    } else {
        out.danger("cluster", facts.address,
                   "cluster_state is " + (view.state.empty() ? "unknown" : view.state) +
                       ": this node refuses all requests",
                   "start the nodes that are down, then redis-cli --cluster check; "
                   "cluster-require-full-coverage no lets the other slots work");
    }
    for (const auto& member : view.members) { judge_member(facts.address, view, member, out); }
}

void judge_sentinels(const std::vector<sentinel_view>& sentinels, const std::string& master,
                     checkup& out) {
    std::vector<const sentinel_view*> voices;
    for (const auto& view : sentinels) {
        judge_sentinel(view, master, out);
        if (view.knows_it) { voices.push_back(&view); }
    }
    if (voices.empty()) {
        out.danger("sentinel", "all sentinels", "no sentinel names a master by the name " + master,
                   "see the findings about each of them");
        return;
    }
    judge_agreement(voices, out);
    const auto& first = *voices.front();
    if (first.others < 2) {
        out.warn("sentinel", first.address,
                 "it knows " + std::to_string(first.others + 1) +
                     " sentinels with itself: if one is lost, there is no majority for a failover",
                 "run three or more, on different machines");
    }
    if (first.replicas.empty()) {
        out.warn("sentinel", first.address, "the master has no replica: nothing can take over",
                 "add a replica on another machine");
    }
    for (const auto& replica : first.replicas) {
        if (!replica.is_down) { continue; }
        out.warn("sentinel", replica.address.text(),
                 "the sentinels say that this replica is down: " + replica.flags,
                 "start it, or forget it with SENTINEL RESET");
    }
}

} // namespace holdfast::engine::redis
