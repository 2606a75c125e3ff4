#include "sim/world/sim_topology.hpp"

namespace holdfast::sim {

using std::chrono::milliseconds;

namespace {

std::string node_text(unsigned node) { return "node " + std::to_string(node); }

} // namespace

sim_topology::sim_topology(const topology_context& context)
    : context_{context},
      replicas_{context.nodes, context.scenario.replication, context.now, context.events},
      random_{context.scenario.replication.seed},
      believed_(context.scenario.clients, 0) {}

sim_time sim_topology::below(sim_time most) {
    return sim_time{
        static_cast<sim_time::rep>(random_.below(static_cast<std::uint64_t>(most.count()) + 1))};
}

bool sim_topology::fail_over(const fault& fault) {
    random_ = base::jitter{static_cast<std::uint64_t>(fault.at.count())}; // whatever else happens
    const auto count = static_cast<unsigned>(context_.nodes.size());
    auto chosen = fault.variant == 3 ? previous_ : fault.node; // also back to it
    const auto can_lead = [&](unsigned node) {
        return !replicas_.is_master(node) && context_.nodes[node].ready_at <= context_.now;
    };
    for (unsigned tried = 0; tried < count && !can_lead(chosen); ++tried) {
        chosen = (chosen + 1) % count;
    }
    if (!can_lead(chosen)) { return false; }
    context_.timeline.add(context_.now, "world", [&] {
        return node_text(chosen) + " becomes the master, after " + node_text(master_);
    });
    replicas_.promote(chosen, below(fault.span));
    context_.checks.on_node_replaced(chosen, true);
    previous_ = master_;
    master_ = chosen;
    for (unsigned node = 0; node < count; ++node) {
        const bool is_old = replicas_.is_master(node);
        const auto delay = is_old && fault.variant != 3 ? fault.span : below(fault.span);
        if (node != chosen) { context_.events.add(context_.now + delay, event_kind::follow, node); }
    }
    for (unsigned client = 0; client < believed_.size(); ++client) {
        context_.events.add(context_.now + below(fault.span), event_kind::tell, client, chosen);
    }
    return true;
}

void sim_topology::follow_master(unsigned node) {
    const auto ready_at = context_.nodes[node].ready_at;
    if (node == master_ || ready_at == never_again) { return; } // if it is down: when it is back
    if (ready_at > context_.now) { return context_.events.add(ready_at, event_kind::follow, node); }
    const bool was_master = replicas_.is_master(node);
    if (!was_master && replicas_.master_of(node) == master_) { return; }
    context_.timeline.add(context_.now, "world",
                          [&] { return node_text(node) + " follows " + node_text(master_); });
    replicas_.follow(node, master_, below(milliseconds{100}));
    context_.checks.on_topology_changed();
    // Sentinels end the connections; an operator does not.
    if (was_master && random_.below(2) == 0) { context_.network.reset_node(node); }
}

void sim_topology::tell(unsigned client, unsigned master) {
    constexpr milliseconds correction{50};
    const auto before = believed_[client];
    if (master != master_) {
        context_.events.add(context_.now + correction, event_kind::tell, client, master_);
    }
    if (before == master) { return; }
    believed_[client] = master;
    context_.timeline.add(context_.now, "world", [&] {
        return "client " + std::to_string(client) + " hears that " + node_text(master) +
               " is the master";
    });
    context_.checks.on_topology_changed();
    context_.network.break_links(client, before, below(milliseconds{50}));
}

void sim_topology::on_node_back(unsigned node) {
    replicas_.on_started(node);
    context_.events.add(context_.now + below(milliseconds{500}), event_kind::follow, node);
}

void sim_topology::calm_down() {
    replicas_.heal();
    for (unsigned node = 0; node < context_.nodes.size(); ++node) { follow_master(node); }
    for (unsigned client = 0; client < believed_.size(); ++client) { tell(client, master_); }
}

} // namespace holdfast::sim
