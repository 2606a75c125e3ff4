#include "sim/world/replica_set.hpp"

#include <algorithm>

namespace holdfast::sim {

replica_set::replica_set(std::deque<sim_node>& nodes, const link_conditions& conditions,
                         const sim_time& now, event_queue& events)
    : nodes_{nodes},
      conditions_{conditions},
      now_{now},
      events_{events},
      links_(nodes.size() * nodes.size()),
      masters_(nodes.size(), 0),
      stalled_until_(nodes.size()) {
    constexpr std::uint64_t spread = 1'000'003;
    for (std::size_t at = 0; at < links_.size(); ++at) {
        links_[at].random = base::jitter{conditions.seed * spread + at};
    }
    for (auto& node : nodes_) { node.server.replication().enable(); }
    for (unsigned at = 1; at < nodes_.size(); ++at) {
        nodes_[at].server.become_replica();
        open(at);
    }
}

sim_time replica_set::delay(replica_link& link) {
    return conditions_.latency + sim_time{static_cast<sim_time::rep>(link.random.below(
                                     static_cast<std::uint64_t>(conditions_.variation.count())))};
}

/// If the replica and its master are up, and the master is one.
void replica_set::open(unsigned replica) {
    const auto master = masters_[replica];
    auto& opened = link(replica, master);
    if (opened.is_open || is_master(replica) || !is_master(master)) { return; }
    if (!is_up(replica) || !is_up(master)) { return; }
    reset(replica, master);
    opened.is_open = true;
    nodes_[master].server.replication().attach(replica);
    send_version(replica, master);
}

void replica_set::send_version(unsigned replica, unsigned master) {
    auto& to = link(replica, master);
    const auto& version = nodes_[master].server.replication().version();
    to.sent = version.offset;
    to.last_to_replica = std::max(to.last_to_replica, now_ + delay(to));
    to.to_replica.push_back({to.last_to_replica, version});
    events_.add(to.last_to_replica, event_kind::to_replica, index(replica, master));
}

void replica_set::publish(unsigned master) {
    if (!is_master(master)) { return; }
    const auto offset = nodes_[master].server.replication().version().offset;
    for (unsigned replica = 0; replica < nodes_.size(); ++replica) {
        const auto& to = link(replica, master);
        if (to.is_open && to.sent < offset) { send_version(replica, master); }
    }
}

unsigned replica_set::arrive_at_replica(unsigned index) {
    const auto replica = index / static_cast<unsigned>(nodes_.size());
    const auto master = index % static_cast<unsigned>(nodes_.size());
    auto& from = links_[index];
    while (!from.to_replica.empty() && from.to_replica.front().due <= now_) {
        auto& first = from.to_replica.front();
        auto& node = nodes_[replica];
        const auto until = std::max(node.ready_at, stalled_until_[replica]);
        if (until > now_) {
            first.due = until;
            events_.add(until, event_kind::to_replica, index);
            break;
        }
        node.server.replication().receive(first.version);
        node.server.keys().restore(*first.version.keys);
        acknowledge(replica, master, first.version.offset, {});
        from.to_replica.pop_front();
    }
    return replica;
}

void replica_set::acknowledge(unsigned replica, unsigned master, std::uint64_t offset,
                              sim_time delay) {
    auto& to = link(replica, master);
    to.last_to_master = std::max(to.last_to_master, now_ + this->delay(to) + delay);
    to.to_master.push_back({to.last_to_master, offset});
    events_.add(to.last_to_master, event_kind::to_master, index(replica, master));
}

unsigned replica_set::arrive_at_master(unsigned index) {
    const auto replica = index / static_cast<unsigned>(nodes_.size());
    const auto master = index % static_cast<unsigned>(nodes_.size());
    auto& from = links_[index];
    while (!from.to_master.empty() && from.to_master.front().due <= now_) {
        auto& first = from.to_master.front();
        const auto until = std::max(nodes_[master].ready_at, stalled_until_[replica]);
        if (until > now_) {
            first.due = until;
            events_.add(until, event_kind::to_master, index);
            break;
        }
        auto& state = nodes_[master].server.replication();
        if (first.offset == 0) {
            state.detach(replica);
        } else {
            state.acknowledge(replica, first.offset);
        }
        from.to_master.pop_front();
    }
    return master;
}

void replica_set::leave(unsigned replica, sim_time delay) {
    const auto master = masters_[replica];
    auto& left = link(replica, master);
    if (!left.is_open) { return; }
    left.is_open = false;
    left.to_replica.clear();
    acknowledge(replica, master, 0, delay);
}

void replica_set::follow(unsigned replica, unsigned master, sim_time delay) {
    if (!is_master(replica) && masters_[replica] == master) { return; }
    if (is_master(replica)) {
        nodes_[replica].server.become_replica();
        for (unsigned at = 0; at < nodes_.size(); ++at) { reset(at, replica); }
    } else {
        leave(replica, delay);
    }
    masters_[replica] = master;
    open(replica);
}

void replica_set::promote(unsigned node, sim_time delay) {
    leave(node, delay);
    nodes_[node].server.replication().become_master();
    on_started(node);
}

void replica_set::reset(unsigned replica, unsigned master) {
    auto& ended = link(replica, master);
    ended.is_open = false;
    ended.to_replica.clear();
    ended.to_master.clear();
    nodes_[master].server.replication().detach(replica);
}

void replica_set::on_stopped(unsigned node) {
    for (unsigned at = 0; at < nodes_.size(); ++at) {
        reset(node, at);
        reset(at, node);
    }
}

void replica_set::on_started(unsigned node) {
    if (!is_master(node)) { return open(node); }
    for (unsigned at = 0; at < nodes_.size(); ++at) {
        if (masters_[at] == node) { open(at); }
    }
}

void replica_set::stall(unsigned replica, sim_time until) {
    stalled_until_[replica] = std::max(stalled_until_[replica], until);
}

void replica_set::heal() {
    std::fill(stalled_until_.begin(), stalled_until_.end(), sim_time::zero());
    const auto soon = now_ + conditions_.latency;
    for (unsigned at = 0; at < links_.size(); ++at) {
        for (auto& each : links_[at].to_replica) { each.due = std::min(each.due, soon); }
        for (auto& each : links_[at].to_master) { each.due = std::min(each.due, soon); }
        if (!links_[at].to_replica.empty()) { events_.add(soon, event_kind::to_replica, at); }
        if (!links_[at].to_master.empty()) { events_.add(soon, event_kind::to_master, at); }
    }
}

} // namespace holdfast::sim
