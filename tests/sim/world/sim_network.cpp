#include "sim/world/sim_network.hpp"

#include "sim/world/sim_stream.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::sim {

using message_kind = link::message_kind;

sim_network::sim_network(unsigned clients, unsigned nodes, const link_conditions& conditions,
                         const sim_time& now, event_queue& events, network_host& host)
    : nodes_{nodes},
      conditions_{conditions},
      now_{now},
      events_{events},
      host_{host},
      routes_(std::size_t{clients} * nodes) {}

std::unique_ptr<net::stream> sim_network::connect(unsigned client, unsigned node) {
    const auto id = static_cast<link_id>(links_.size());
    auto& made = links_.emplace_back();
    made.client = client;
    made.node = node;
    // By client, node and number, so that a run without one of the faults goes the same way.
    constexpr std::uint64_t spread = 1'000'003;
    const auto number = way(client, node).connections++;
    made.random =
        base::jitter{((conditions_.seed * spread + client) * spread + node) * spread + number};
    post_to_node(id, message_kind::open, {});
    return std::make_unique<sim_stream>(*this, id);
}

sim_time sim_network::delay_of(link& link) {
    const auto& route = way(link.client, link.node);
    auto out = conditions_.latency;
    const auto add = [&](sim_time most) {
        out += sim_time{static_cast<sim_time::rep>(
            link.random.below(static_cast<std::uint64_t>(most.count())))};
    };
    add(conditions_.variation);
    if (now_ < route.slow_until) { add(route.extra_delay); }
    return out;
}

void sim_network::post_to_node(link_id id, message_kind kind, std::string_view bytes) {
    auto& link = links_[id];
    link.last_to_node = std::max(link.last_to_node, now_ + delay_of(link));
    link.to_node.push_back({kind, link.last_to_node, std::string{bytes}});
    events_.add(link.last_to_node, event_kind::to_node, id);
}

void sim_network::post_to_client(link_id id, message_kind kind, std::string_view bytes) {
    auto& link = links_[id];
    link.last_to_client = std::max(link.last_to_client, now_ + delay_of(link));
    link.to_client.push_back({kind, link.last_to_client, std::string{bytes}});
    events_.add(link.last_to_client, event_kind::to_client, id);
}

void sim_network::send_to_node(link_id id, std::string_view bytes) {
    auto& link = links_[id];
    if (link.abandoned) { return; }
    post_to_node(id, message_kind::data, bytes);
    auto& route = way(link.client, link.node);
    if (!route.trigger.empty() && bytes.find(route.trigger) != std::string_view::npos) {
        events_.add(now_, event_kind::fault, route.armed_fault, route.armed_part);
        route.trigger = {};
    }
}

void sim_network::send_to_client(link_id id, std::string_view bytes) {
    post_to_client(id, message_kind::data, bytes);
}

void sim_network::close(link_id id) {
    if (std::exchange(links_[id].abandoned, true)) { return; }
    post_to_node(id, message_kind::close, {});
}

void sim_network::arrive_at_node(link_id id) {
    auto& link = links_[id];
    while (!link.to_node.empty() && link.to_node.front().due <= now_) {
        auto& first = link.to_node.front();
        auto until = std::max(way(link.client, link.node).held_until, link.stalled_until);
        // A stopped node's kernel accepts connections; it processes nothing else.
        const auto ready_at = host_.node_ready_at(link.node);
        if (first.kind == message_kind::data && ready_at != never_again) {
            until = std::max(until, ready_at);
        }
        if (until > now_) {
            first.due = until;
            events_.add(until, event_kind::to_node, id);
            return;
        }
        const auto message = std::move(first);
        link.to_node.pop_front();
        deliver_to_node(id, message);
    }
}

void sim_network::deliver_to_node(link_id id, const link::message& message) {
    auto& link = links_[id];
    if (host_.node_ready_at(link.node) == never_again) { // it is down: refused, or reset
        if (!link.abandoned) { post_to_client(id, message_kind::close, {}); }
        return;
    }
    switch (message.kind) {
    case message_kind::open:
        link.has_session = true;
        host_.on_session_opened(id);
        post_to_client(id, message_kind::open, {});
        break;
    case message_kind::data:
        if (link.has_session) {
            host_.on_request(id, message.bytes);
        } else if (!link.abandoned) {
            post_to_client(id, message_kind::close, {});
        }
        break;
    case message_kind::close:
        if (std::exchange(link.has_session, false)) { host_.on_session_closed(id); }
        break;
    }
}

void sim_network::arrive_at_client(link_id id) {
    auto& link = links_[id];
    bool changed = false;
    while (!link.to_client.empty() && link.to_client.front().due <= now_) {
        auto& first = link.to_client.front();
        const auto until = std::max(way(link.client, link.node).held_until, link.stalled_until);
        if (until > now_) {
            first.due = until;
            events_.add(until, event_kind::to_client, id);
            break;
        }
        const auto message = std::move(first);
        link.to_client.pop_front();
        if (link.abandoned || link.cut) { continue; }
        changed = true;
        switch (message.kind) {
        case message_kind::open: link.state = net::stream_state::open; break;
        case message_kind::data: link.inbox += message.bytes; break;
        case message_kind::close: fail(link, "the server closed the connection"); break;
        }
    }
    if (changed) { host_.on_client_ready(link.client); }
}

void sim_network::fail(link& link, const char* reason) {
    link.state = net::stream_state::failed;
    link.failure = reason;
    link.cut = true;
}

void sim_network::break_links(unsigned client, unsigned node, sim_time delay) {
    for (link_id id = 0; id < links_.size(); ++id) {
        auto& link = links_[id];
        if (link.client != client || link.node != node || link.abandoned || link.cut) { continue; }
        fail(link, "the connection broke");
        if (delay == never_again) {
            link.to_node.clear();
        } else {
            for (auto& message : link.to_node) {
                message.due = std::max(message.due, now_ + delay);
            }
            link.last_to_node = std::max(link.last_to_node, now_ + delay);
            events_.add(now_ + delay, event_kind::to_node, id);
        }
        link.abandoned = true;
        post_to_node(id, message_kind::close, {});
    }
    host_.on_client_ready(client);
}

void sim_network::stall_links(unsigned client, unsigned node, sim_time until) {
    for (auto& link : links_) {
        if (link.client == client && link.node == node && !link.cut) {
            link.stalled_until = std::max(link.stalled_until, until);
        }
    }
}

void sim_network::reset_node(unsigned node) {
    for (link_id id = 0; id < links_.size(); ++id) {
        auto& link = links_[id];
        if (link.node != node || !std::exchange(link.has_session, false)) { continue; }
        host_.on_session_closed(id);
        if (!link.abandoned) { post_to_client(id, message_kind::close, {}); }
    }
}

void sim_network::drop_client(unsigned client, bool silently) {
    for (link_id id = 0; id < links_.size(); ++id) {
        auto& link = links_[id];
        if (link.client != client || link.abandoned) { continue; }
        if (silently) {
            link.abandoned = true;
        } else {
            close(id);
        }
    }
}

void sim_network::heal() {
    for (auto& route : routes_) {
        route.held_until = std::min(route.held_until, now_);
        route.slow_until = now_;
    }
    for (link_id id = 0; id < links_.size(); ++id) {
        links_[id].stalled_until = sim_time::zero();
        for (auto* const queue : {&links_[id].to_node, &links_[id].to_client}) {
            for (auto& message : *queue) {
                message.due = std::min(message.due, now_ + conditions_.latency);
            }
        }
        events_.add(now_ + conditions_.latency, event_kind::to_node, id);
        events_.add(now_ + conditions_.latency, event_kind::to_client, id);
    }
}

} // namespace holdfast::sim
