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
    : lock_layout{options}, commands_{options.prefix, identity} {}

capabilities native_layout::caps(primitive /*kind*/, bool /*fenced*/) const {
    capabilities can;
    can.supported = true;
    can.fifo = true;
    can.queue = queueing::grant;
    can.fencing = true;
    can.min_hold = true;
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
    if (last->op->token != 0 && op.node_id == 0) { return nullptr; }
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
    operation.token = votes_ ? op.token : 0;
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
    if (reclaims) { channel.clock().refresh(channel.requests(), now); }
    channel.send(*this, request_kind::beat, operation, now, [&](std::string& out) {
        commands_.beat(out, op, channel.clock(), counts_until(base::never, now));
    });
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
    case request_kind::beat: return complete_beats(operation, reply);
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

void native_layout::on_acquire_reply(operation& acquire, const reply& reply, instant now) {
    if (fail_if_not_late(acquire, reply, now)) { return; }
    answer out = read_acquire(reply, acquire.channel->server());
    if (acquire.terms.waits) {
        const bool is_long = out.status == op_status::queued && reply.is_integer();
        acquire.channel->watermark().note_queue(is_long);
    }
    const bool has_place = out.status == op_status::granted || out.status == op_status::queued;
    if (acquire.is_cancelled() && has_place) {
        acquire.channel->send(*this, request_kind::undo, acquire, now,
                              [&](std::string& to) { commands_.withdraw(to, acquire.ticket, {}); });
        return;
    }
    acquire.complete(std::move(out));
}

void native_layout::on_error(request& request, const server_error& error, instant now) {
    if (!request.is(request_kind::exchange)) { return lock_layout::on_error(request, error, now); }
    // Either part may have caused the error, and the release may have been done: each must be sent
    // again by itself.
    for (const auto* const each : {&request.merged, &request.op}) {
        (*each)->fail(error.code, error.detail, op_status::unknown, error.scripts_are_gone);
    }
}

void native_layout::on_lost(request& request, bool may_arrive, instant now) {
    const bool acquires = request.is(request_kind::acquire) || request.is(request_kind::exchange);
    if (!may_arrive || (!acquires && !request.is(request_kind::withdraw))) { return; }
    const operation& lost = *request.op;
    if (lost.not_after_us == 0) { return; } // a withdrawal for good, or a break
    (acquires ? attempts_ : withdrawals_)
        .add(lost.ticket.owner.number, lost.not_after_us, lost.channel->clock().translate(now));
}

} // namespace holdfast::engine::redis
