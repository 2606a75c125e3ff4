// The faults of a run.

#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "sim/world/sim_world.hpp"

#include <algorithm>

namespace holdfast::sim {

void sim_world::on_fault(const sim_event& event) {
    const auto& fault = scenario_.faults[event.index];
    if (event.detail == 2) {
        timeline_.add(now_, "FAULT", [] { return std::string{"all data is lost"}; });
        return flush_node(fault.node);
    }
    if (fault.kind == fault_kind::delay_renewal) { return delay_renewal(fault); }
    if (fault.armed == nullptr || event.detail != 0) { return apply(fault); }
    arm(fault, fault.client, *fault.armed, 1);
}

void sim_world::arm(const fault& fault, unsigned client, const engine::redis::script& trigger,
                    std::uint32_t part) {
    auto& way = network_.way(client, topology_ ? topology_->believed(client) : fault.node);
    way.armed_fault = static_cast<std::uint32_t>(&fault - scenario_.faults.data());
    way.armed_part = part;
    way.trigger = trigger.sha;
}

/// If nobody holds the lock, some time later.
void sim_world::delay_renewal(const fault& fault) {
    constexpr std::chrono::milliseconds later{100};
    const auto holder = std::find_if(clients_.begin(), clients_.end(), [](const auto& client) {
        return client && client->extend_and_release();
    });
    if (holder == clients_.end()) {
        const auto index = static_cast<std::uint32_t>(&fault - scenario_.faults.data());
        return events_.add(now_ + later, event_kind::fault, index);
    }
    timeline_.add(now_, "FAULT", [&] { return describe(fault); });
    const auto client = static_cast<unsigned>(holder - clients_.begin());
    network_.break_links(client, fault.node, fault.span);
    for (unsigned other = 0; other < clients_.size(); ++other) {
        if (other != client) { arm(fault, other, engine::redis::scripts::grace_release, 2); }
    }
}

void sim_world::apply(const fault& fault) {
    timeline_.add(now_, "FAULT", [&] { return describe(fault); });
    const auto until = now_ + fault.span;
    const auto node = node_of(fault);
    auto& way = network_.way(fault.client, node);
    auto& client = clients_[fault.client];
    if (client) { client->hurry(); }
    switch (fault.kind) {
    case fault_kind::break_link:
        network_.break_links(fault.client, node, fault.variant == 0 ? never_again : fault.span);
        break;
    case fault_kind::stall_link: network_.stall_links(fault.client, node, until); break;
    case fault_kind::hold_link: way.held_until = std::max(way.held_until, until); break;
    case fault_kind::slow_link:
        way.slow_until = until;
        way.extra_delay = fault.span / (1 + fault.variant);
        break;
    case fault_kind::pause_node: stop_node(fault.node, until); break;
    case fault_kind::crash_node: crash_node(fault.node, until, kept_data::all); break;
    case fault_kind::wipe_node: crash_node(fault.node, until, kept_data::none); break;
    case fault_kind::restore_node:
        crash_node(fault.node, until, kept_data::old, fault.variant);
        break;
    case fault_kind::flush_node: flush_node(topology_ ? topology_->master() : fault.node); break;
    case fault_kind::fail_over: fail_over(fault); break;
    case fault_kind::delay_renewal: break; // see delay_renewal
    case fault_kind::stall_replica:
        topology_->replicas().stall(fault.variant < 2 ? fault.node : topology_->previous(), until);
        break;
    case fault_kind::break_on_node:
        if (fault.variant == 0) {
            break_everywhere();
        } else {
            break_on(0);
            note_broken(false);
        }
        break;
    case fault_kind::pause_client:
        if (client) {
            client->pause(until);
            events_.add(until, event_kind::client_back, fault.client);
        }
        break;
    case fault_kind::crash_client: crash_client(fault.client, until, fault.variant == 0); break;
    case fault_kind::step_wall:
        if (client) { client->step_wall(fault.variant % 2 == 0 ? -fault.span : fault.span); }
        break;
    }
}

void sim_world::stop_node(unsigned node, sim_time until) {
    auto& stopped = nodes_[node];
    if (stopped.ready_at != never_again) { stopped.ready_at = std::max(stopped.ready_at, until); }
}

unsigned sim_world::node_of(const fault& fault) const {
    return topology_ ? topology_->believed(fault.client) : fault.node;
}

void sim_world::crash_node(unsigned node, sim_time until, kept_data kept, unsigned age) {
    auto& crashed = nodes_[node];
    if (crashed.ready_at == never_again) { return; }
    crashed.ready_at = never_again;
    network_.reset_node(node);
    crashed.server.set_clock(crashed.clock_us(now_));
    crashed.server.restart();
    if (kept == kept_data::none) { crashed.server.flush_all(); }
    if (kept == kept_data::old) { crashed.restore(age); }
    if (topology_) { topology_->replicas().on_stopped(node); }
    checks_.on_node_replaced(node, kept != kept_data::all);
    events_.add(until, event_kind::node_back, node);
}

void sim_world::flush_node(unsigned node) {
    nodes_[node].server.flush_all();
    if (topology_) { topology_->replicas().publish(node); }
    checks_.on_node_replaced(node, true);
}

/// By an operator who reaches this node only.
void sim_world::break_on(unsigned node) {
    auto& broken = nodes_[node];
    if (broken.ready_at > now_) { return; }
    const auto held = checks_.hold_on(node);
    constexpr link_id operators = ~link_id{0};
    namespace scripts = engine::redis::scripts;
    std::string commands;
    engine::redis::append_command(commands, {"SCRIPT", "LOAD", scripts::break_lock.text});
    engine::redis::native_commands{"hf:", {}}.break_lock(commands, {lock_name});
    broken.server.set_clock(broken.clock_us(now_));
    broken.server.open(operators);
    broken.server.receive(operators, commands);
    broken.server.take_output([&](link_id to, const std::string& output) {
        if (to != operators) { network_.send_to_client(to, output); }
    });
    broken.server.close(operators);
    checks_.on_node_replaced(node, false);
    // Its client may not have heard of the grant yet, and is the holder when it does.
    const auto* const holder = held ? clients_[held->ticket.client].get() : nullptr;
    if (holder != nullptr && holder->life() == held->ticket.life) {
        checks_.on_broken(*holder, held->ticket, false);
    }
}

/// An operator breaks the lock while no client is connected, so that no notice of it arrives. Then
/// most nodes lose their data, so that they forget the break: only the next renewal can tell.
void sim_world::break_everywhere() {
    const auto is_away = [this](const sim_node& node) { return node.ready_at > now_; };
    if (std::any_of(nodes_.begin(), nodes_.end(), is_away)) { return; }
    for (unsigned client = 0; client < clients_.size(); ++client) {
        for (unsigned node = 0; node < nodes_.size(); ++node) {
            network_.break_links(client, node, never_again);
        }
    }
    for (unsigned node = 0; node < nodes_.size(); ++node) { break_on(node); }
    for (unsigned node = 0; node <= nodes_.size() / 2; ++node) { flush_node(node); }
    note_broken(true);
}

void sim_world::note_broken(bool on_all) {
    for (const auto& client : clients_) {
        if (!client) { continue; }
        client->visit_leases([&](const sim_client::held_lease& lease) {
            checks_.on_broken(*client, lease.ticket, on_all);
        });
    }
}

void sim_world::start_node(unsigned node) {
    auto& ready_at = nodes_[node].ready_at;
    if (ready_at == never_again || calm_) { ready_at = sim_time::zero(); }
    if (topology_) { topology_->on_node_back(node); }
}

void sim_world::crash_client(unsigned index, sim_time until, bool silently) {
    if (!clients_[index]) { return; }
    network_.drop_client(index, silently);
    clients_[index].reset();
    events_.add(until, event_kind::client_back, index);
}

} // namespace holdfast::sim
