#include "sim/world/sim_world.hpp"

#include "holdfast/engine/quorum/quorum_engine.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"
#include "sim/world/flawed_node.hpp"

#include <algorithm>

namespace holdfast::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// So many events at one instant: somebody is busy for nothing.
constexpr unsigned most_repeats = 20'000;
/// Events until everybody was served after the faults.
constexpr unsigned most_calm_events = 50'000;

/// They are many, and do not count.
bool is_replication(event_kind kind) noexcept {
    return kind == event_kind::to_replica || kind == event_kind::to_master ||
           kind == event_kind::wait_over;
}

} // namespace

sim_world::sim_world(const scenario& scenario, script_library& scripts, timeline& timeline)
    : scenario_{scenario},
      timeline_{timeline},
      checks_{scenario, now_, nodes_},
      network_{scenario.clients, scenario.nodes, scenario.network, now_, events_, *this},
      clients_(scenario.clients),
      lives_(scenario.clients) {
    for (unsigned at = 0; at < scenario.nodes; ++at) {
        nodes_.emplace_back(scripts, at, scenario.node_rates[at], scenario.node_offsets[at]);
    }
    if (scenario.deployment == deployment::failover) {
        topology_.emplace(
            topology_context{scenario, now_, events_, timeline, nodes_, network_, checks_});
    }
    for (unsigned at = 0; at < scenario.clients; ++at) { start_client(at); }
    for (std::uint32_t at = 0; at < scenario.faults.size(); ++at) {
        events_.add(scenario.faults[at].at, event_kind::fault, at);
    }
}

sim_world::~sim_world() {
    for (auto& client : clients_) { client.reset(); }
}

sim_result sim_world::run() {
    sim_result out;
    while (!events_.empty() && events_.first().when <= ends_at_ && checks_.violation().empty()) {
        const auto event = events_.take();
        repeats_ = event.when > now_ ? 0 : repeats_ + 1;
        now_ = std::max(now_, event.when);
        handle(event);
        check();
        if (repeats_ > most_repeats) { checks_.fail("somebody is busy for nothing"); }
        out.events += is_replication(event.kind) ? 0U : 1U;
        if (out.events >= scenario_.events && !calm_) { calm_down(); }
        if (calm_) { check_progress(); }
        if (out.events > scenario_.events + most_calm_events) { checks_.fail("it does not end"); }
    }
    check_end();
    out.violation = checks_.violation();
    out.at = now_;
    out.leases = checks_.leases();
    out.losses = checks_.losses();
    return out;
}

void sim_world::handle(const sim_event& event) {
    auto* const client = event.index < clients_.size() ? clients_[event.index].get() : nullptr;
    switch (event.kind) {
    case event_kind::to_node: network_.arrive_at_node(event.index); break;
    case event_kind::to_client: network_.arrive_at_client(event.index); break;
    case event_kind::client_wake:
        if (client != nullptr) { client->run(); }
        break;
    case event_kind::caller_step:
        if (client != nullptr) { client->step(event.detail); }
        break;
    case event_kind::client_back:
        if (client == nullptr) {
            start_client(event.index);
        } else if (!client->is_paused()) {
            client->resume();
        }
        break;
    case event_kind::node_back: start_node(event.index); break;
    case event_kind::fault:
        if (!calm_) { on_fault(event); }
        break;
    default: handle_replication(event); break;
    }
}

void sim_world::check() {
    checks_.begin_round();
    for (const auto& client : clients_) {
        if (client) { checks_.check(*client); }
    }
    checks_.end_round();
}

bool sim_world::all_served() const {
    for (unsigned client = 0; client < scenario_.clients; ++client) {
        for (unsigned caller = 0; caller < scenario_.callers; ++caller) {
            if (!checks_.was_served(client, caller)) { return false; }
        }
    }
    return true;
}

/// What may be in the way: the lease of a holder that died, then waiters that died, each of which
/// is handed the lock.
void sim_world::check_progress() {
    // Time to give back what has no answer yet.
    if (ends_at_ == never_again && all_served()) { ends_at_ = now_ + seconds{4}; }
    if (ends_at_ != never_again) { return; }
    const auto callers = static_cast<int>(scenario_.clients * scenario_.callers);
    auto bound = calm_since_ + scenario_.longest_lease + seconds{8} + callers * seconds{2};
    // Nodes that were restarted do not vote before every lease has ended that they may have given.
    if (scenario_.is_quorum()) { bound += scenario_.longest_lease + seconds{3}; }
    // Nor does a server that was restarted, or promoted, and that replicas must follow first.
    if (scenario_.has_grace()) { bound += scenario_.grace_period() + seconds{2}; }
    if (now_ > bound) {
        checks_.fail("P7: not everybody got the lock within " + span_text(bound - calm_since_) +
                     " after the last fault");
    }
}

void sim_world::check_end() {
    if (!checks_.violation().empty()) { return; }
    if (!all_served()) { return checks_.fail("P7: nobody does anything"); }
    now_ = std::max(now_, ends_at_);
    auto lives = lives_;
    for (auto& life : lives) { --life; } // of those that run
    for (unsigned node = 0; node < nodes_.size(); ++node) {
        if (!topology_ || node == topology_->master()) { checks_.check_leftovers(node, lives); }
    }
}

void sim_world::calm_down() {
    timeline_.add(now_, "world", [] { return std::string{"all faults end"}; });
    calm_ = true;
    calm_since_ = now_;
    checks_.count_from_now();
    network_.heal();
    for (unsigned at = 0; at < nodes_.size(); ++at) { start_node(at); }
    if (topology_) { topology_->calm_down(); }
    for (unsigned at = 0; at < clients_.size(); ++at) {
        if (!clients_[at]) { start_client(at); }
        clients_[at]->set_calm();
        clients_[at]->resume();
    }
}

std::unique_ptr<seam::engine> sim_world::make_engine(unsigned client,
                                                     const seam::client_identity& identity) {
    const auto make_child = [&](unsigned node) {
        engine::redis::options options;
        options.server.host = "node" + std::to_string(node);
        options.connect_timeout = scenario_.connect_timeout;
        options.command_timeout = scenario_.command_timeout;
        options.max_lease = scenario_.max_lease;
        options.replicas = scenario_.replicas;
        options.open_stream = [this, client, node](const net::endpoint& /*endpoint*/) {
            return network_.connect(client, topology_ ? topology_->believed(client) : node);
        };
        options.backoff_seed = scenario_.seed * 1009 + client * 31 + node;
        return std::make_unique<engine::redis::redis_engine>(options, identity);
    };
    if (!scenario_.is_quorum()) { return make_child(0); }
    std::vector<engine::quorum::quorum_node> members;
    for (unsigned node = 0; node < scenario_.nodes; ++node) {
        std::unique_ptr<seam::engine> access = make_child(node);
        if (scenario_.planted != mistake::none) {
            access = std::make_unique<flawed_node>(std::move(access), scenario_.planted);
        }
        members.push_back({std::move(access), "node" + std::to_string(node)});
    }
    engine::quorum::quorum_settings options;
    options.max_lease = scenario_.longest_lease;
    options.seed = scenario_.seed * 1013 + client;
    return std::make_unique<engine::quorum::quorum_engine>(std::move(members), options, identity);
}

void sim_world::start_client(unsigned index) {
    const auto life = lives_[index]++;
    timeline_.add(now_, "world", [&] { return "client " + std::to_string(index) + " starts"; });
    clients_[index] = std::make_unique<sim_client>(
        index, life, client_context{scenario_, now_, events_, timeline_, checks_},
        [this, index](const seam::client_identity& identity) {
            return make_engine(index, identity);
        });
    if (calm_) { clients_[index]->set_calm(); }
}

void sim_world::on_session_opened(link_id link) {
    nodes_[network_.at(link).node].server.open(link);
}

void sim_world::on_session_closed(link_id link) {
    nodes_[network_.at(link).node].server.close(link);
}

void sim_world::on_request(link_id link, std::string_view bytes) {
    const auto index = network_.at(link).node;
    auto& node = nodes_[index];
    node.server.set_clock(node.clock_us(now_));
    node.server.receive(link, bytes);
    after_request(index, network_.at(link).client);
}

void sim_world::send_output(unsigned node) {
    nodes_[node].server.take_output(
        [this](link_id to, const std::string& output) { network_.send_to_client(to, output); });
}

void sim_world::on_client_ready(unsigned client) {
    if (clients_[client]) { clients_[client]->run(); }
}

} // namespace holdfast::sim
