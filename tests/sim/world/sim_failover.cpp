// Replication and failover of a run.

#include "sim/world/sim_world.hpp"

namespace holdfast::sim {

void sim_world::fail_over(const fault& fault) {
    const auto old = topology_->master();
    if (!topology_->fail_over(fault)) { return; }
    if (fault.variant == 1) { crash_node(old, now_ + fault.span / 2, kept_data::all); }
    if (fault.variant == 2) { stop_node(old, now_ + fault.span / 2); }
}

void sim_world::handle_replication(const sim_event& event) {
    switch (event.kind) {
    case event_kind::to_replica:
        checks_.on_node_replaced(topology_->replicas().arrive_at_replica(event.index), false);
        break;
    case event_kind::to_master:
        resume_waits(topology_->replicas().arrive_at_master(event.index));
        break;
    case event_kind::wait_over: resume_waits(event.index); break;
    case event_kind::follow:
        topology_->follow_master(event.index);
        send_output(event.index); // a WAIT that has ended
        break;
    case event_kind::tell: topology_->tell(event.index, event.detail); break;
    default: break;
    }
}

void sim_world::after_request(unsigned node, unsigned client) {
    send_output(node);
    checks_.on_node_changed(node, client);
    if (scenario_.has_grace()) { nodes_[node].save(); }
    if (!topology_) { return; }
    topology_->replicas().publish(node);
    if (const auto due = nodes_[node].server.wait_due()) {
        events_.add(nodes_[node].true_time(*due), event_kind::wait_over, node);
    }
}

void sim_world::resume_waits(unsigned node) {
    auto& resumed = nodes_[node];
    if (resumed.ready_at > now_) {
        if (resumed.ready_at != never_again && resumed.server.wait_due()) {
            events_.add(resumed.ready_at, event_kind::wait_over, node);
        }
        return;
    }
    resumed.server.set_clock(resumed.clock_us(now_));
    while (const auto session = resumed.server.resume_one()) {
        after_request(node, network_.at(*session).client);
    }
}

} // namespace holdfast::sim
