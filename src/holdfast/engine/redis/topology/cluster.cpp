#include "holdfast/engine/redis/topology/cluster.hpp"

#include "holdfast/engine/redis/protocol/redirection.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// How often the slots are asked for: without a reason, while a node is down, and at most.
constexpr base::milliseconds usual_pause{10'000};
constexpr base::milliseconds outage_pause{200};
constexpr base::milliseconds least_pause{50};
/// How often holders and waiters hear at most that slots have moved.
constexpr base::milliseconds move_pause{500};
/// While a node is down, every so many questions go to another node: that which was asked may have
/// lost the others.
constexpr unsigned patience_with_one = 5;

} // namespace

cluster::cluster(const options& options, std::vector<std::string> inbox_channels,
                 message_handler& inbox, node_listener& listener)
    : options_{options},
      inbox_channels_{std::move(inbox_channels)},
      inbox_{inbox},
      listener_{listener},
      link_{options},
      nowhere_{options, *this, inbox_channels_, inbox, *this},
      wait_{options.backoff_seed} {
    nodes_.reserve(slot_map::max_masters); // callers iterate while nodes are added
}

node& cluster::node_for(const op_target& target) {
    if (target.name.empty()) {
        for (std::size_t at = 0; at < masters_.size(); ++at) {
            if (nodes_[at]->is_ready() && !masters_[at]->is_retired()) { return *nodes_[at]; }
        }
    }
    const bool native = target.format->layout.value_or(options_.layout) == layout::native;
    const auto slot =
        native ? native_slot(target.name) : hash_slot(options_.key_prefix, target.name);
    const auto owner = map_.owner(slot);
    return owner == slot_map::nobody ? nowhere_ : *nodes_[owner];
}

node* cluster::node_from(std::string_view address, bool after, std::string& found) {
    const auto next = map_.first_from(address, after);
    if (next == slot_map::nobody) { return nullptr; }
    found = map_.address(next).text();
    return nodes_[next];
}

cluster_node& cluster::owner_of(node& node) noexcept {
    const auto at = std::find(nodes_.begin(), nodes_.end(), &node) - nodes_.begin();
    return *masters_[static_cast<std::size_t>(at)];
}

cluster_node* cluster::use(slot_map::index master) {
    node_listener& self = *this;
    while (masters_.size() <= master) {
        masters_.push_back(std::make_unique<cluster_node>(options_, inbox_channels_, inbox_, self));
        nodes_.push_back(&masters_.back()->node());
    }
    auto& out = *masters_[master];
    out.use(map_.address(master), known_);
    map_.keep(master, true);
    return &out;
}

std::optional<net::endpoint> cluster::endpoint(instant now, connect_when when) {
    if (known_ || failure_.detail.empty() || when == connect_when::at_once) {
        want_slots(std::max(now, asked_ + least_pause));
    }
    return std::nullopt;
}

std::string cluster::why_no_endpoint() const {
    if (!failure_.detail.empty()) { return failure_.detail; }
    return known_ ? "the cluster: no node serves the slot of this lock; see CLUSTER INFO"
                  : "the cluster: no node has answered yet";
}

std::optional<rejection> cluster::reject(const hello& /*hello*/) const { return std::nullopt; }

void cluster::ask_for_slots(instant now) {
    std::vector<net::endpoint> servers;
    for (const auto& each : masters_) {
        if (!each->is_retired() && !each->is_down()) { servers.push_back(each->reachable()); }
    }
    for (const auto& seed : options_.cluster->seeds) {
        const bool known = std::any_of(servers.begin(), servers.end(), [&](const auto& each) {
            return each.host == seed.host && each.port == seed.port;
        });
        if (!known) { servers.push_back(seed); }
    }
    ask_at_ = base::never;
    asked_ = now;
    const bool impatient = outage_questions_ > 0 && ++outage_questions_ % patience_with_one == 0;
    const bool another = std::exchange(ask_another_, false) || impatient;
    link_.ask(std::move(servers), another, now);
}

void cluster::on_slots(instant now) {
    const auto is_down = [this](slot_map::index master) { return masters_[master]->is_down(); };
    const auto changes = map_.replace(link_.slots(), moves_.present(now, is_down));
    if (changes.moved) { note_move(now); }
    ask_another_ = changes.contradicted;
    bool any_down = false;
    for (std::size_t at = 0; at < map_.size(); ++at) {
        const auto master = static_cast<slot_map::index>(at);
        if (map_.slots_of(master) > 0) {
            auto& used = *use(master);
            any_down = used.is_down() || any_down;
            choose_acknowledged_key(master);
            // Its holds may be lost, and nobody may ask for them for long.
            if (used.replaces()) { nodes_[master]->connect(now, connect_when::due); }
        } else if (master < masters_.size() && !masters_[master]->is_kept(now)) {
            masters_[master]->retire();
        }
    }
    known_ = true;
    failure_ = {};
    wait_.reset();
    if (!any_down) { outage_questions_ = 0; }
    want_slots(now + (any_down || ask_another_ ? outage_pause : usual_pause));
    listener_.on_ended(nowhere_, {make_error_code(errc::unavailable), why_no_endpoint(), false});
}

void cluster::on_no_slots(instant now) {
    failure_ = {link_.why().code, "no node of the cluster has told its slots; " + link_.why().text,
                false};
    want_slots(now + wait_.next());
    listener_.on_ended(nowhere_, failure_);
}

void cluster::drive(std::span<const pollfd> ready, instant now) {
    switch (link_.drive(ready, now)) {
    case map_link::outcome::none: break;
    case map_link::outcome::found: on_slots(now); break;
    case map_link::outcome::failed: on_no_slots(now); break;
    }
    if (now >= ask_at_) { ask_for_slots(now); }
    if (now >= tell_at_) {
        tell_at_ = base::never;
        told_ = now;
        listener_.on_locks_moved();
    }
    topology::drive(ready, now);
    free_closed();
}

/// Deadlines are instants of the clock of the node that has the lock, and waiters listen there. So
/// holders renew at once, and waiters ask again.
void cluster::note_move(instant now) noexcept {
    tell_at_ = std::min(tell_at_, std::max(now, told_ + move_pause));
}

/// A master that is retired and closed may give its index to another.
void cluster::free_closed() noexcept {
    for (std::size_t at = 0; at < masters_.size(); ++at) {
        if (masters_[at]->is_retired() && nodes_[at]->is_closed()) {
            map_.keep(static_cast<slot_map::index>(at), false);
        }
    }
}

void cluster::on_ready(node& node, bool again, instant now) {
    auto& master = owner_of(node);
    master.set_down(false);
    listener_.on_ready(node, master.take_replaces() || again, now);
}

void cluster::on_ended(node& node, const connection_loss& loss) {
    auto& master = owner_of(node);
    if (!master.is_retired()) {
        master.set_down(true);
        if (outage_questions_ == 0) { outage_questions_ = 1; }
        want_slots(asked_ + least_pause);
    }
    listener_.on_ended(node, loss);
}

/// Replicas acknowledge a write to a key of this node: see replica_wait.
void cluster::choose_acknowledged_key(slot_map::index master) {
    if (options_.replicas == 0 || map_.slots_of(master) == 0) { return; }
    const auto slot = map_.slot_of(master, masters_[master]->acknowledged_slot);
    nodes_[master]->channel().set_acknowledged_key(options_.prefix + "ack:{" + slot_tag(slot) +
                                                   "}");
}

bool cluster::on_refused(node& node, request& request, std::string_view error, instant now) {
    if (!request.op) { // the write of a key whose slot may be moving
        auto& master = owner_of(node);
        ++master.acknowledged_slot;
        const auto index = map_.find(master.address());
        if (index != slot_map::nobody) { choose_acknowledged_key(index); }
    }
    if (error.starts_with("CLUSTERDOWN") || error.find("non local key") != std::string_view::npos) {
        want_slots(asked_ + least_pause);
    }
    auto found = parse_redirection(error);
    if (!found) { return false; }
    if (found->to.host.empty()) { found->to.host = owner_of(node).address().host; }
    const auto master = map_.find_or_add(found->to);
    if (master == slot_map::nobody) { return false; }
    auto& to = *use(master);
    const bool asks = found->type == redirection::kind::ask;
    if (asks) {
        to.keep_until(now + 2 * usual_pause);
    } else {
        const auto former = map_.owner(found->slot);
        if (former != slot_map::nobody && former != master) { note_move(now); }
        map_.assign(found->slot, master);
        choose_acknowledged_key(master);
        moves_.note(found->slot, master, now);
        want_slots(asked_ + least_pause);
    }
    return listener_.on_redirected(to.node(), asks, request, now);
}

void cluster::pollables(std::vector<pollfd>& out) const {
    link_.pollables(out);
    topology::pollables(out);
}

instant cluster::due() const noexcept {
    return std::min(
        {topology::due(), link_.due(), link_.is_asking() ? base::never : ask_at_, tell_at_});
}

void cluster::reset() noexcept {
    link_.reset();
    topology::reset();
}

std::string cluster::about(const node& node) const {
    auto out = node.about() + ", a node of a cluster of " + std::to_string(map_.masters()) +
               (map_.masters() == 1 ? " master" : " masters");
    if (map_.covered() == slot_count) { return out; }
    return out + ", which serve only " + std::to_string(map_.covered()) + " of its " +
           std::to_string(slot_count) + " slots: see CLUSTER INFO";
}

} // namespace holdfast::engine::redis
