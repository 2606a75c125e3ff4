// native_layout: replies and errors.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/native/native_layout.hpp"
#include "holdfast/engine/redis/layout/native/native_replies.hpp"

#include <utility>

namespace holdfast::engine::redis {

using base::instant;

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
    case request_kind::downgrade: return on_downgrade_reply(operation, reply, now);
    case request_kind::resize: return on_resize_reply(operation, reply, now);
    case request_kind::acquire_set: return on_set_reply(operation, reply, now);
    case request_kind::release_set:
    case request_kind::undo_set: return on_set_release_reply(operation, reply);
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
    if (acquire.is_cancelled() && has_place) { return send_undo(acquire, *acquire.channel, now); }
    acquire.complete(std::move(out));
}

void native_layout::send_undo(operation& acquire, command_channel& channel, instant now) {
    channel.send(*this, request_kind::undo, acquire, now,
                 [&](std::string& out) { commands_.withdraw(out, acquire.ticket, {}); });
}

bool native_layout::resend(request& request, command_channel& to, instant now) {
    if (request.is(request_kind::undo_set)) {
        send_undo_set(*request.op, to, now);
        return true;
    }
    if (!request.is(request_kind::undo)) { return false; }
    send_undo(*request.op, to, now);
    return true;
}

void native_layout::on_error(request& request, const server_error& error, instant now) {
    if (has_grace() && request.is(request_kind::acquire)) {
        held_.remove(request.op->ticket.owner);
    }
    if (request.is(request_kind::acquire_set)) { forget_set(*request.op); }
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
    const bool beats = request.is(request_kind::beat) || request.is(request_kind::acquire_set);
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
