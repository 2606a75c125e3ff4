// polling_layout: replies and messages.

#include "holdfast/engine/redis/layout/cell_replies.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/polling/polling_layout.hpp"
#include "holdfast/engine/redis/layout/polling/polling_replies.hpp"

#include <utility>

namespace holdfast::engine::redis {

using base::instant;

bool polling_layout::on_reply(request& request, const reply& reply, instant now) {
    operation& operation = *request.op;
    switch (static_cast<request_kind>(request.kind)) {
    case request_kind::take:
        if (!reply.is_text()) { return false; }
        on_take_reply(operation, reply, now);
        return true;
    case request_kind::acquire:
        if (!is_acquire_reply(reply)) { return false; }
        on_acquire_reply(operation, reply, now);
        return true;
    case request_kind::release:
        if (!reply.is_integer()) { return false; }
        on_release_reply(operation, reply, now);
        return true;
    case request_kind::withdraw:
    case request_kind::undo:
        if (reply.is_integer()) { note_remembered(operation); }
        return complete_number(operation, reply, read_withdraw);
    case request_kind::beat: return complete_beats(operation, reply);
    case request_kind::inspect: return complete_inspection(operation, reply, read_polling_inspect);
    case request_kind::clear_memory: return reply.is_integer();
    case request_kind::latch: return complete_cell(operation, reply, now);
    }
    return false;
}

void polling_layout::on_take_reply(operation& operation, const reply& reply, instant now) {
    if (reply.is_null()) {
        answer out;
        out.status = op_status::granted;
        on_granted(operation, std::move(out), now);
    } else if (reply.text() != commands_->owner(operation.ticket.owner)) {
        on_busy(operation, -1, now);
    } else if (operation.is_cancelled()) {
        on_granted(operation, {}, now);
    } else if (operation.terms.withdrawn) {
        operation.complete(op_status::unknown); // it had the lock, until the withdrawal arrived
    } else if (operation.is_open()) { // otherwise it may have been withdrawn: do not send it again
        // The ticket holds the lock: it was sent before, and the reply was lost.
        send_script(operation, *operation.channel, now);
    }
}

void polling_layout::on_acquire_reply(operation& operation, const reply& reply, instant now) {
    if (fail_if_not_late(operation, reply, now)) { return; }
    std::int64_t pttl = -1;
    answer out = read_polling_acquire(reply, pttl);
    if (out.status == op_status::granted) {
        on_granted(operation, std::move(out), now);
    } else if (out.status == op_status::busy && late_since(reply) == 0) {
        on_busy(operation, pttl, now);
    } else {
        operation.complete(std::move(out));
    }
}

/// Of a cancelled acquire.
void polling_layout::send_undo(operation& operation, instant now) {
    operation.terms.remembered = false;
    operation.channel->send(*this, request_kind::undo, operation, now, [&](std::string& out) {
        commands_->withdraw(out, operation.ticket, {});
    });
}

void polling_layout::on_granted(operation& operation, answer&& answer, instant now) {
    if (operation.is_cancelled()) { return send_undo(operation, now); }
    if (operation.terms.waits && !waiters_.empty()) {
        waiters_.serve(commands_->channel(operation.ticket, operation.terms.kind),
                       operation.ticket.owner.number, now);
    }
    operation.complete(std::move(answer));
}

void polling_layout::on_busy(operation& operation, std::int64_t pttl, instant now) {
    if (operation.is_cancelled() && operation.terms.waits && commands_->keeps_places()) {
        return send_undo(operation, now);
    }
    if (!operation.terms.waits || operation.terms.withdrawn || !operation.is_open()) {
        return operation.complete(op_status::busy);
    }
    const auto lock_channel = commands_->channel(operation.ticket, operation.terms.kind);
    const auto ahead =
        waiters_.add(lock_channel, operation.ticket.name, operation.ticket.owner.number, now);
    if (!operation.terms.subscribed) {
        operation.channel->subscriptions().add(lock_channel, commands_->sharded(), *this, now);
        operation.terms.subscribed = true;
        send_script(operation, *operation.channel, now);
        return;
    }
    answer out;
    out.status = op_status::queued;
    out.ahead = static_cast<unsigned>(ahead);
    out.check_in = commands_->poll_in(pttl, ahead);
    operation.complete(std::move(out));
}

void polling_layout::on_release_reply(operation& operation, const reply& reply, instant now) {
    releases_.answered(operation.ticket.owner);
    note_remembered(operation);
    answer out = read_release(reply);
    // The first request may have released it; its reply was lost.
    if (out.status == op_status::not_held && operation.terms.resent) {
        out.status = op_status::released;
    }
    const bool done = out.status == op_status::released;
    operation.complete(std::move(out));
    if (!done || operation.terms.remembered || !commands_->clears_memory()) { return; }
    operation.channel->send(
        *this, request_kind::clear_memory, operation, now,
        [&](std::string& to) { commands_->clear_memory(to, operation.ticket); });
}

/// If a release or a withdrawal left a release memory, late acquires are refused from now on.
void polling_layout::note_remembered(const operation& done) {
    if (done.terms.remembered && !late_.empty()) { late_.forget(done.ticket.owner); }
}

void polling_layout::on_message(std::string_view channel, std::string_view payload, instant now) {
    if (commands_->wakes_all(channel, payload)) {
        wake_all(channel);
    } else if (const auto first = waiters_.first(channel, now)) {
        notify(notice::kind::maybe_free, *first);
    }
}

/// They ask again, and subscribe again where the lock is now.
void polling_layout::wake_all(std::string_view channel) {
    for (const auto number : waiters_.all(channel)) { notify(notice::kind::maybe_free, number); }
}

} // namespace holdfast::engine::redis
