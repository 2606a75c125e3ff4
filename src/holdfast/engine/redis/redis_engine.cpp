#include "holdfast/engine/redis/redis_engine.hpp"

#include "holdfast/engine/admission/cell_rule.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/redis/op_target.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// How many operations may be in use at once, and how many bytes may wait to be sent.
constexpr std::size_t max_operations = 100'000;
constexpr std::size_t max_unsent = std::size_t{64} << 20U;

bool is_single_attempt(const op& op) noexcept {
    const auto* const acquire = std::get_if<acquire_op>(&op);
    const auto* const cell = std::get_if<cell_op>(&op);
    const auto* const set = std::get_if<acquire_set_op>(&op);
    return (acquire != nullptr && acquire->once) || (cell != nullptr && cell->once) ||
           (set != nullptr && !set->items.empty() && set->items.front().once);
}

bool is_first_acquire(const op& op) noexcept {
    const auto* const acquire = std::get_if<acquire_op>(&op);
    return acquire != nullptr && acquire->first;
}

/// A message that a waiter was granted the lock is no proof: see inbox.
bool grants_are_hints(const options& options) noexcept {
    return options.replicas > 0 || options.cluster;
}

} // namespace

redis_engine::redis_engine(options options, const client_identity& identity)
    : options_{std::move(options)},
      time_{*identity.time},
      inbox_{options_.prefix, identity.client, grants_are_hints(options_)},
      layouts_{options_, identity, operations_},
      topology_{make_topology(options_, inbox_.channels(), inbox_, *this)} {}

capabilities redis_engine::caps_in(primitive kind, const lock_format& format) const {
    auto can = layouts_.for_format(format).caps(kind, format.fencing.value_or(options_.fencing));
    can.attempt = options_.connect_timeout;
    can.pushes_grants = !grants_are_hints(options_);
    return can;
}

void redis_engine::attach(sink& sink) {
    sink_ = &sink;
    operations_.attach(sink);
    inbox_.attach(sink);
    layouts_.attach(sink);
}

instant redis_engine::clock() const noexcept {
    const auto seen = sink_->now();
    return seen == base::never ? time_.now() : seen;
}

std::optional<answer> redis_engine::reject_set(const acquire_set_op& set,
                                               const lock_layout& layout) const {
    if (auto wrong = admission::reject_invalid(set)) { return wrong; }
    std::vector<std::string_view> names;
    names.reserve(set.items.size());
    for (const auto& item : set.items) {
        if (options_.max_lease.count() > 0 && item.lease > options_.max_lease) {
            return admission::failed_answer(errc::invalid_option,
                                            "lease: is above max_lease of the URL");
        }
        names.emplace_back(item.ticket.name);
    }
    if (layout.is_one_step(names)) { return std::nullopt; }
    return admission::failed_answer(errc::unsupported,
                                    "these names cannot be acquired in one step");
}

bool redis_engine::is_one_step(std::span<const std::string_view> names,
                               const lock_format& format) const {
    return layouts_.for_format(format).is_one_step(names);
}

std::optional<answer> redis_engine::reject(const op& op, const lock_layout& layout,
                                           node& node) const {
    if (const auto* const acquire = std::get_if<acquire_op>(&op)) {
        if (auto wrong = admission::reject_invalid(*acquire)) { return wrong; }
        if (options_.max_lease.count() > 0 && acquire->lease > options_.max_lease) {
            return admission::failed_answer(errc::invalid_option,
                                            "lease: is above max_lease of the URL");
        }
    }
    if (const auto* const cell = std::get_if<cell_op>(&op)) {
        if (auto wrong = admission::reject_invalid(*cell)) { return wrong; }
    }
    if (const auto* const set = std::get_if<acquire_set_op>(&op)) {
        if (auto wrong = reject_set(*set, layout)) { return wrong; }
    }
    if (const auto* const reason = layout.reject_unsupported(op)) {
        return admission::failed_answer(errc::unsupported, reason);
    }
    const auto* const beat = std::get_if<beat_op>(&op);
    if (beat != nullptr && beat->items.size() > max_beat_items) {
        return admission::failed_answer(errc::limit_reached, "beat: at most " +
                                                                 std::to_string(max_beat_items) +
                                                                 " items at once");
    }
    const bool full = operations_.active() >= max_operations ||
                      (node.is_ready() && node.channel().requests().unsent_bytes() >= max_unsent);
    if (!full) { return std::nullopt; }
    return admission::failed_answer(errc::limit_reached,
                                    node.server() + ": too many requests wait for an answer");
}

node& redis_engine::node_for(const operation& operation, const op& op) const {
    return operation.routing.at != nullptr ? *operation.routing.at
                                           : topology_->node_for(target_of(op));
}

void redis_engine::submit(op_id id, const op& op, instant give_up) {
    assert(sink_ != nullptr);
    const auto target = target_of(op);
    lock_layout& layout = layouts_.use(*target.format);
    node& node = topology_->node_for(target);
    if (auto rejected = reject(op, layout, node)) {
        rejected->id = id;
        sink_->answered(std::move(*rejected));
        return;
    }
    auto operation = operations_.start(id, give_up);
    if (layout.complete_locally(*operation, op)) { return; }
    if (options_.cluster) { note_ticket(*operation, op); }
    if (options_.cluster && send_beat_in_parts(operation, op, give_up)) { return; }
    route(std::move(operation), op, layout, node);
}

void redis_engine::route(operation_ref operation, const op& op, lock_layout& layout, node& node) {
    if (node.is_ready() && backlog_.empty()) {
        return begin(*operation, op, layout, node, clock());
    }
    backlog_.add(std::move(operation), op);
    node.connect(time_.now(), is_single_attempt(op) ? connect_when::at_once : connect_when::due);
}

void redis_engine::begin(operation& operation, const op& op, lock_layout& layout, node& node,
                         instant now) {
    if (options_.cluster && keep_or_split(operation, op, node)) { return; }
    if (std::holds_alternative<diagnose_op>(op)) {
        return diagnosis_.begin(operation, node, topology_->about(node), now);
    }
    if (const auto* const join = std::get_if<join_op>(&op)) {
        return joiner_.begin(operation, *join, node, now);
    }
    if (const auto* const acquire = std::get_if<acquire_op>(&op);
        acquire != nullptr && acquire->node_id != 0 && !joiner_.is_joined()) {
        return operation.complete(op_status::not_joined);
    }
    operation.needs_replicas =
        options_.replicas > 0 &&
        (std::holds_alternative<acquire_op>(op) || std::holds_alternative<beat_op>(op) ||
         std::holds_alternative<cell_op>(op) || std::holds_alternative<acquire_set_op>(op) ||
         std::holds_alternative<downgrade_op>(op) || std::holds_alternative<resize_op>(op));
    // With max_lease the reply also depends on the incarnation, which others may have written.
    operation.only_own_writes =
        operation.needs_replicas && options_.max_lease.count() == 0 && is_first_acquire(op);
    layout.begin(operation, op, node.channel(), now);
}

void redis_engine::send_backlog(instant now) {
    backlog_.send_each([&](operation& operation, const op& op) {
        if (operation.routing.asking_first && operation.routing.at->is_ready()) {
            operation.routing.forget_ask(); // it is old by now
        }
        node& node = node_for(operation, op);
        if (!node.is_ready()) {
            if (options_.cluster) { node.connect(now, connect_when::due); } // it may be another one
            return false;
        }
        begin(operation, op, layouts_.for_format(*target_of(op).format), node, now);
        return true;
    });
}

void redis_engine::cancel(op_id id) {
    operations_.cancel(id);
    backlog_.drop_completed();
}

bool redis_engine::recall(op_id id) {
    if (!backlog_.has(id)) { return false; }
    cancel(id);
    return true;
}

void redis_engine::pollables(std::vector<pollfd>& out) const { topology_->pollables(out); }

instant redis_engine::drive(std::span<const pollfd> ready, instant now) {
    assert(sink_ != nullptr);
    topology_->drive(ready, now);
    return advance(ready.empty() ? flush_occasion::submit : flush_occasion::read, now);
}

/// A caller can read from one socket only: that of the only node, or of the only node with replies
/// in flight.
direct_read redis_engine::start_direct_read() {
    const auto nodes = topology_->nodes();
    if (nodes.size() == 1) { return nodes[0]->start_direct_read(); }
    const auto awaited = [](const node* each) { return each->replies_in_flight() > 0; };
    const auto found = std::find_if(nodes.begin(), nodes.end(), awaited);
    if (found == nodes.end() || std::any_of(found + 1, nodes.end(), awaited)) { return {}; }
    auto out = (*found)->start_direct_read();
    out.source = static_cast<std::size_t>(found - nodes.begin());
    return out;
}

instant redis_engine::finish_direct_read(std::size_t source, ssize_t count, int error,
                                         instant now) {
    topology_->nodes()[source]->finish_direct_read(count, error, now);
    return advance(flush_occasion::read, now);
}

std::size_t redis_engine::replies_in_flight() const {
    std::size_t sum = 0;
    for (const node* const each : topology_->nodes()) { sum += each->replies_in_flight(); }
    return sum;
}

/// Returns when it wants to be driven next.
instant redis_engine::advance(flush_occasion occasion, instant now) {
    const auto nodes = topology_->nodes();
    if (!backlog_.empty()) { send_backlog(now); }
    if (now >= layouts_.due()) {
        const auto find = [this](const op_target& target) {
            node& node = topology_->node_for(target);
            return node.is_ready() ? &node.channel() : nullptr;
        };
        layouts_.on_timer(find, now);
    }
    for (node* const each : nodes) {
        each->flush(occasion, now);
        each->read_before_time_out(operations_.earliest(), now);
    }
    if (now >= operations_.earliest()) { expire(now); }
    for (node* const each : nodes) { each->break_off_if_dead(now); }
    return std::min({layouts_.due(), topology_->due(), operations_.earliest()});
}

/// Every operation is answered by its `give_up`, whatever the servers do.
void redis_engine::expire(instant now) {
    backlog_.send_each([&](operation& operation, const op& op) {
        if (operation.give_up() > now) { return false; }
        operation.fail(errc::unavailable, node_for(operation, op).why_not_ready());
        return true;
    });
    operations_.expire(now, [now](operation& operation) {
        auto& channel = *operation.channel;
        if (operation.renews) { channel.watchdog().on_unanswered_renewal(operation.sent, now); }
        const bool lacks_replicas =
            operation.awaits_replicas || (operation.needs_replicas && channel.lacks_replicas());
        operation.fail(errc::unavailable,
                       "Redis at " + channel.server() +
                           (lacks_replicas
                                ? ": too few replicas have acknowledged the request in time"
                                : ": no answer in time"),
                       op_status::unknown);
    });
}

void redis_engine::on_ready(node& /*node*/, bool again, instant now) {
    layouts_.on_ready(now);
    joiner_.on_connected();
    if (!again) { return; }
    sink_->reconnected();
    sink_->noticed({notice::kind::inbox_reset, 0, 0});
}

void redis_engine::on_ended(node& node, const connection_loss& loss) {
    backlog_.send_each([&](operation& operation, const op& op) {
        if (&node_for(operation, op) != &node) { return false; }
        operation.fail(loss.code, loss.detail, op_status::failed, loss.retry_now);
        return true;
    });
}

void redis_engine::reset() noexcept {
    operations_.forget_all();
    backlog_.drop_completed();
    topology_->reset();
}

} // namespace holdfast::engine::redis
