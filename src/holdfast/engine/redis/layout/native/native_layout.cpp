#include "holdfast/engine/redis/layout/native/native_layout.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/native/native_replies.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

constexpr std::array<const script*, 1> exchange_script{&scripts::exchange};

} // namespace

native_layout::native_layout(const options& options, const client_identity& identity)
    : lock_layout{options},
      commands_{options.prefix, identity, options.max_lease.count() > 0},
      held_{options.max_lease} {}

capabilities native_layout::caps(primitive /*kind*/, bool /*fenced*/) const {
    capabilities can;
    can.supported = true;
    can.fifo = true;
    can.queue = queueing::grant;
    can.fencing = true;
    can.min_hold = true;
    if (has_grace()) {
        can.longest_lease = options_.max_lease;
        can.longest_lease_option = "max_lease in the URL";
        can.joins = can.reclaims = false; // a quorum has its own protocol for lost data
    }
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
    if (channel.scripts().has(exchange_script)) { return last; }
    channel.scripts().ensure(exchange_script, now);
    return nullptr;
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
    if (request* const last = mergeable_release(op, channel, now)) {
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
    std::visit([&](const auto& each) { send(operation, each, channel, now); }, op);
}

bool native_layout::on_reply(request& request, const reply& reply, instant now) {
    operation& operation = *request.op;
    switch (static_cast<request_kind>(request.kind)) {
    case request_kind::acquire:
        if (!is_acquire_reply(reply)) { return false; }
        on_acquire_reply(operation, reply, now);
        return true;
    case request_kind::exchange: return on_exchange_reply(request, reply, now);
    case request_kind::release: return complete_number(operation, reply, read_release);
    case request_kind::withdraw:
    case request_kind::undo: return complete_number(operation, reply, read_withdraw);
    case request_kind::beat: return on_beat_reply(operation, reply, now);
    case request_kind::inspect: return complete_inspection(operation, reply, read_inspect);
    }
    return false;
}

bool native_layout::on_exchange_reply(request& request, const reply& both, instant now) {
    const reply acquire_reply = is_double_reply(both) ? both[2] : both;
    if (!is_acquire_reply(acquire_reply)) { return false; }
    request.merged->complete(read_exchanged(both));
    on_acquire_reply(*request.op, acquire_reply, now);
    return true;
}

bool native_layout::on_beat_reply(operation& beat, const reply& reply, instant now) {
    for (std::size_t at = 0; has_grace() && at < reply.size(); ++at) {
        const auto item = reply[at];
        if (!item.is_integer()) { continue; }
        if (item.integer() == fields::beat_stale) { beat.channel->incarnation().on_stale(now); }
        if (item.integer() == fields::beat_lost && at < beat.items.size()) {
            held_.remove(beat.items[at].owner);
        }
    }
    // With max_lease nobody else was granted a hold that is made again.
    return complete_beats(beat, reply, has_grace() ? op_status::renewed : op_status::reclaimed);
}

void native_layout::on_acquire_reply(operation& acquire, const reply& reply, instant now) {
    if (reply.number(0) == fields::answer_stale) { acquire.channel->incarnation().on_stale(now); }
    if (fail_if_not_late(acquire, reply, now)) { return; }
    answer out = read_acquire(reply, acquire.channel->server());
    if (acquire.terms.waits) {
        const bool is_long = out.status == op_status::queued && reply.is_integer();
        acquire.channel->watermark().note_queue(is_long);
    }
    const bool has_place = out.status == op_status::granted || out.status == op_status::queued;
    if (!has_place && has_grace()) { held_.remove(acquire.ticket.owner); }
    if (acquire.is_cancelled() && has_place) {
        acquire.channel->send(*this, request_kind::undo, acquire, now,
                              [&](std::string& to) { commands_.withdraw(to, acquire.ticket, {}); });
        return;
    }
    acquire.complete(std::move(out));
}

void native_layout::on_error(request& request, const server_error& error, instant now) {
    if (has_grace() && request.is(request_kind::acquire)) {
        held_.remove(request.op->ticket.owner);
    }
    if (!request.is(request_kind::exchange)) { return lock_layout::on_error(request, error, now); }
    // Either part may have caused the error, and the release may have been done: each must be sent
    // again by itself. A replica runs no part of it.
    const auto status = error.is_replica ? op_status::failed : op_status::unknown;
    for (const auto* const each : {&request.merged, &request.op}) {
        (*each)->fail(error.code, error.detail, status, error.retry_now());
    }
}

void native_layout::on_lost(request& request, bool may_arrive, instant now) {
    const bool acquires = request.is(request_kind::acquire) || request.is(request_kind::exchange);
    const bool beats = request.is(request_kind::beat);
    if (!may_arrive || (!acquires && !beats && !request.is(request_kind::withdraw))) { return; }
    const operation& lost = *request.op;
    if (lost.not_after_us == 0) { return; } // a renewal, a withdrawal for good, or a break
    const auto server_now = lost.channel->clock().translate(now);
    for (const auto& reclaimed : lost.items) {
        attempts_.add(reclaimed.owner.number, lost.not_after_us, server_now);
    }
    if (beats) { return; }
    (acquires ? attempts_ : withdrawals_)
        .add(lost.ticket.owner.number, lost.not_after_us, server_now);
}

} // namespace holdfast::engine::redis
