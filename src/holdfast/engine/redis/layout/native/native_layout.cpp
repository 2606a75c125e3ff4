#include "holdfast/engine/redis/layout/native/native_layout.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

script_variant variant_for(const options& options) noexcept {
    if (options.cluster) { return script_variant::cluster; }
    return options.max_lease.count() > 0 ? script_variant::grace : script_variant::usual;
}

} // namespace

native_layout::native_layout(const options& options, const client_identity& identity)
    : lock_layout{options},
      commands_{options.prefix, identity, variant_for(options)},
      held_{options.max_lease} {}

capabilities native_layout::caps(primitive /*kind*/, bool /*fenced*/) const {
    capabilities can;
    can.supported = true;
    can.fifo = true;
    can.queue = queueing::grant;
    can.fencing = true;
    can.min_hold = true;
    can.sets = can.resizes = true;
    // After lost data a reader that was a writer could be taken for one still: see reclaim_book.
    can.downgrades = !has_grace();
    if (has_grace()) {
        can.why_no_downgrade = "does not downgrade with max_lease in its URL: after lost data the "
                               "reader could be taken for a writer";
        can.longest_lease = options_.max_lease;
        can.longest_lease_option = "max_lease in the URL";
    }
    // A quorum has its own protocol for lost data, and its nodes are single servers.
    if (has_grace() || options_.cluster) { can.joins = can.reclaims = false; }
    return can;
}

/// The not-after is later than that of all earlier requests of the ticket, so that the server can
/// distinguish them. Not if its clock was set back since: it would refuse this request, and refuses
/// the earlier ones anyway.
validity native_layout::validity_of(operation& acquire) const {
    const auto& clock = acquire.channel->clock();
    auto late = attempts_.not_after_of(acquire.ticket.owner.number);
    if (late > clock.translate(acquire.sent) + fields::longest_not_after_us) { late = 0; }
    acquire.not_after_us = std::max(clock.translate(counts_until(acquire)), late + 1);
    return {acquire.not_after_us, late};
}

/// The last request, if it is a release that is not sent yet. The first time, this only loads the
/// exchange script: clients that never need it do not load it.
request* native_layout::mergeable_release(const acquire_op& op, command_channel& channel,
                                          instant now) {
    request* const last = channel.requests().last_unsent();
    if (last == nullptr || last->handler != this || !last->is(request_kind::release)) {
        return nullptr;
    }
    if (has_grace() || (last->op->token != 0 && op.node_id == 0)) { return nullptr; }
    if (options_.cluster && !is_same_slot(*last->op, op)) { return nullptr; }
    if (channel.scripts().has(commands_.exchange_script())) { return last; }
    channel.scripts().ensure(commands_.exchange_script(), now);
    return nullptr;
}

/// In a cluster only such a release and acquire become one call.
bool native_layout::is_same_slot(const operation& release, const acquire_op& op) {
    return !release.routing.slot_is_moving &&
           native_slot(release.ticket.name) == native_slot(op.ticket.name);
}

template <>
void native_layout::send(operation& operation, const acquire_op& op, command_channel& channel,
                         instant now) {
    channel.clock().refresh(channel.requests(), now);
    if (may_be_withdrawn_late(op.ticket, channel, now)) {
        operation.fail(errc::unavailable,
                       "Redis at " + channel.server() +
                           ": an earlier withdrawal may still arrive; try again");
        return;
    }
    operation.ticket = op.ticket;
    operation.not_after = op.not_after;
    operation.terms.waits = op.queue == queueing::grant;
    votes_ = votes_ || op.node_id != 0;
    if (has_grace()) { held_.put(op, now); }
    request* const last =
        operation.routing.asking_first ? nullptr : mergeable_release(op, channel, now);
    if (last != nullptr) {
        channel.merge(*last, request_kind::exchange, operation, operation.terms.waits, now,
                      [&](std::string& out) {
                          const auto& released = *last->merged;
                          commands_.exchange(out, released.ticket, released.token, op,
                                             validity_of(operation));
                      });
        return;
    }
    auto& sent = channel.send(*this, request_kind::acquire, operation, now, [&](std::string& out) {
        commands_.acquire(out, op, validity_of(operation));
    });
    if (operation.terms.waits) { channel.mark_suppressible(sent); }
}

template <>
void native_layout::send(operation& operation, const release_op& op, command_channel& channel,
                         instant now) {
    operation.ticket = op.ticket;
    // Without votes the mark keeps the tokens in order. A longer command would cost each release.
    operation.token = votes_ || has_grace() ? op.token : 0;
    if (has_grace()) { held_.remove(op.ticket.owner); }
    if (op.can_wait) { channel.defer_write(now); }
    auto& sent = channel.send(*this, request_kind::release, operation, now, [&](std::string& out) {
        commands_.release(out, op.ticket, operation.token);
    });
    if (!op.awaited) { channel.mark_suppressible(sent); }
}

template <>
void native_layout::send(operation& operation, const withdraw_op& op, command_channel& channel,
                         instant now) {
    operation.ticket = op.ticket;
    if (has_grace() && !op.asks_again) { held_.remove(op.ticket.owner); }
    if (op.asks_again) { channel.clock().refresh(channel.requests(), now); }
    channel.send(*this, request_kind::withdraw, operation, now, [&](std::string& out) {
        if (op.asks_again) {
            operation.not_after_us = channel.clock().translate(counts_until(operation));
        }
        commands_.withdraw(
            out, op.ticket,
            {operation.not_after_us, attempts_.not_after_of(op.ticket.owner.number)});
    });
}

/// A withdrawal of this ticket was lost with its connection. If it arrived after the next acquire
/// it would take that one's hold away, and nobody would learn of it.
bool native_layout::may_be_withdrawn_late(const ticket& ticket, command_channel& channel,
                                          instant now) const {
    constexpr std::int64_t clock_error_us = 1'000'000; // translate() is an upper bound
    const auto until = withdrawals_.not_after_of(ticket.owner.number);
    return until > 0 && channel.clock().translate(now) <= until + clock_error_us;
}

template <>
void native_layout::send(operation& operation, const break_op& op, command_channel& channel,
                         instant now) {
    channel.send(*this, request_kind::withdraw, operation, now,
                 [&](std::string& out) { commands_.break_lock(out, op); });
}

template <>
void native_layout::send(operation& operation, const beat_op& op, command_channel& channel,
                         instant now) {
    note_items(operation, op);
    const bool reclaims = std::any_of(op.items.begin(), op.items.end(),
                                      [](const auto& each) { return each.reclaim != nullptr; });
    const auto latest = counts_until(base::never, now);
    if (reclaims || has_grace()) {
        channel.clock().refresh(channel.requests(), now);
        operation.not_after_us = channel.clock().translate(latest);
    }
    channel.send(*this, request_kind::beat, operation, now, [&](std::string& out) {
        if (has_grace()) {
            commands_.beat(out, with_reclaims(op, operation.give_up(), now), channel.clock(),
                           latest);
        } else {
            commands_.beat(out, op, channel.clock(), latest);
        }
    });
}

/// Its holder has a valid lease now, and waits for the answer until `give_up`.
beat_op native_layout::with_reclaims(const beat_op& op, instant give_up, instant now) {
    beat_op out = op;
    for (auto& item : out.items) {
        const auto known = held_.use(item.ticket.owner, now);
        if (known == nullptr || item.waiting || item.token == 0) { continue; }
        auto terms = std::make_shared<acquire_op>(*known);
        terms->not_after = give_up;
        item.reclaim = std::move(terms);
    }
    return out;
}

template <>
void native_layout::send(operation& operation, const inspect_op& op, command_channel& channel,
                         instant now) {
    operation.ticket.name = op.name;
    channel.send(*this, request_kind::inspect, operation, now,
                 [&](std::string& out) { commands_.inspect(out, op.name); });
}

template <>
void native_layout::send(operation& operation, const list_op& op, command_channel& channel,
                         instant now) {
    lister_.begin(operation, op, channel, now);
}

template <>
void native_layout::send(operation& operation, const cell_op& op, command_channel& channel,
                         instant now) {
    cells_.begin(operation, op, channel, counts_until(op.not_after, now), now);
}

/// Not handled by layouts: see `diagnosis`.
template <>
void native_layout::send(operation& /*operation*/, const diagnose_op& /*op*/,
                         command_channel& /*channel*/, instant /*now*/) {
    assert(false);
}

/// Not handled by layouts: see `node_joiner`.
template <>
void native_layout::send(operation& /*operation*/, const join_op& /*op*/,
                         command_channel& /*channel*/, instant /*now*/) {
    assert(false);
}

void native_layout::begin(operation& operation, const op& op, command_channel& channel,
                          instant now) {
    if (has_grace()) {
        commands_.use_incarnation(channel.incarnation().id());
        channel.incarnation().refresh(now);
    }
    commands_.set_slot_is_moving(operation.routing.slot_is_moving);
    std::visit([&](const auto& each) { send(operation, each, channel, now); }, op);
    commands_.set_slot_is_moving(false);
}

} // namespace holdfast::engine::redis
