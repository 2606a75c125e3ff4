#include "holdfast/engine/redis/layout/polling/polling_layout.hpp"

#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/layout/polling/polling_replies.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// How long a release by another client than the owner's, e.g. by the command line, is remembered:
/// the same request again gets the same answer.
constexpr base::milliseconds foreign_release_memory{60'000};

/// How far the server's clock may be ahead of its estimate; see server_clock.
constexpr base::milliseconds clock_error{1000};

} // namespace

polling_layout::polling_layout(const options& options, const client_identity& identity,
                               operations& operations, std::unique_ptr<polling_commands> commands)
    : lock_layout{options},
      client_{identity.client},
      operations_{operations},
      commands_{std::move(commands)} {
    for (const auto kind : {primitive::mutex, primitive::shared_mutex, primitive::semaphore}) {
        has_kind_.at(static_cast<std::size_t>(kind)) = commands_->caps(kind, false).supported;
    }
}

capabilities polling_layout::caps(primitive kind, bool fenced) const {
    return commands_->caps(kind, fenced);
}

const char* polling_layout::reject_unsupported(const op& op) const {
    if (const auto* const acquire = std::get_if<acquire_op>(&op)) {
        if (options_.max_lease.count() > 0) {
            return "with max_lease in the URL only native locks are safe";
        }
        if (!has_kind_[static_cast<std::size_t>(acquire->kind)]) {
            return "the layout has no such primitive";
        }
        if (acquire->min_hold > base::milliseconds{0}) { return "the layout cannot keep min_hold"; }
        if (!acquire->note.empty()) { return "the layout has no place for a note"; }
        if (acquire->proposed_token != 0) { return "the layout takes no proposed token"; }
        if (const char* const why = commands_->reject_name(acquire->ticket.name)) { return why; }
    }
    if (const auto* const cell = std::get_if<cell_op>(&op)) {
        return cell->latch ? commands_->reject_latch(cell->ticket.name)
                           : commands_->caps(primitive::mutex, false).why_no_cells;
    }
    if (std::holds_alternative<acquire_set_op>(op) || std::holds_alternative<release_set_op>(op)) {
        return "the layout does not acquire several names in one step";
    }
    if (std::holds_alternative<downgrade_op>(op)) { return "the layout does not downgrade"; }
    if (std::holds_alternative<resize_op>(op)) { return polling_commands::why_no_resize; }
    return std::holds_alternative<list_op>(op) ? "the layout cannot tell locks from other keys"
                                               : nullptr;
}

/// Waiters have no place on the server that a beat could keep: they acquire again.
bool polling_layout::complete_locally(operation& operation, const op& op) {
    const auto* const beat = std::get_if<beat_op>(&op);
    if (beat == nullptr) { return false; }
    const bool all_wait = std::all_of(beat->items.begin(), beat->items.end(),
                                      [](const auto& each) { return each.waiting; });
    if (!all_wait) { return false; }
    answer out;
    out.status = op_status::renewed;
    out.beats.reserve(beat->items.size());
    for (const auto& item : beat->items) {
        auto& each = out.beats.emplace_back();
        each.ticket = item.ticket;
        each.status = op_status::lost;
    }
    operation.complete(std::move(out));
    return true;
}

template <>
void polling_layout::send(operation& operation, const acquire_op& op, command_channel& channel,
                          instant now) {
    channel.clock().refresh(channel.requests(), now);
    if (!late_.empty()) { late_.mark_wanted(op.ticket.owner); }
    operation.ticket = op.ticket;
    operation.not_after = op.not_after;
    auto& terms = operation.terms;
    terms.lease = op.lease;
    terms.kind = op.kind;
    terms.mode = op.mode;
    terms.permits = op.permits;
    terms.limit = op.limit;
    terms.fenced = fenced(op.ticket.format) && commands_->caps(op.kind, true).fencing;
    terms.waits = op.queue != queueing::no;
    terms.withdrawn = false;
    bool contended = false;
    if (terms.waits && !waiters_.empty()) {
        const auto lock_channel = commands_->channel(op.ticket, op.kind);
        contended = waiters_.any(lock_channel);
        if (contended) {
            channel.subscriptions().add(lock_channel, commands_->sharded(), *this, now);
        }
        terms.subscribed = channel.subscriptions().has(lock_channel);
    }
    if (terms.fenced || contended || !commands_->takes_without_script()) {
        return send_script(operation, channel, now);
    }
    channel.send(*this, request_kind::take, operation, now,
                 [&](std::string& out) { commands_->take(out, op.ticket, op.lease); });
}

/// The script takes the lock if it is free, renews it if this ticket holds it, and otherwise
/// replies with the remaining time of the hold.
void polling_layout::send_script(operation& operation, command_channel& channel, instant now) {
    channel.send(*this, request_kind::acquire, operation, now, [&](std::string& out) {
        commands_->acquire(out, operation.ticket, operation.terms,
                           channel.clock().translate(counts_until(operation)));
    });
}

/// The release memory that a release or a withdrawal of this ticket must leave on the server.
release_memory polling_layout::memory_for(const ticket& ticket, bool asks_again, instant now) {
    if (late_.empty()) { return {}; }
    const auto delay = late_.may_arrive_for(ticket.owner, now);
    if (delay <= base::duration::zero()) { return {}; }
    late_.mark_unwanted(ticket.owner, asks_again, now);
    // A memory would also refuse the next acquire of a ticket that asks again.
    if (asks_again || !commands_->honours_memory(fenced(ticket.format))) { return {}; }
    return {std::chrono::ceil<base::milliseconds>(delay), true};
}

template <>
void polling_layout::send(operation& operation, const release_op& op, command_channel& channel,
                          instant now) {
    operation.ticket = op.ticket;
    operation.terms.resent = releases_.add(op.ticket.owner);
    auto memory = memory_for(op.ticket, false, now);
    if (op.ticket.owner.client != client_) {
        memory.length = std::max(memory.length, foreign_release_memory);
    }
    operation.terms.remembered = memory.length.count() > 0;
    if (op.can_wait) { channel.defer_write(now); }
    channel.send(*this, request_kind::release, operation, now,
                 [&](std::string& out) { commands_->release(out, op.ticket, memory); });
}

void polling_layout::send_withdrawal(operation& operation, const withdraw_op& op, request_kind kind,
                                     command_channel& channel, instant now) {
    const ticket& ticket = op.ticket;
    operation.ticket = ticket;
    const auto memory = memory_for(ticket, op.asks_again, now);
    operation.terms.remembered = memory.length.count() > 0;
    channel.send(*this, kind, operation, now,
                 [&](std::string& out) { commands_->withdraw(out, ticket, memory); });
}

/// An acquire may need a second request after the reply to its first one. Once a withdrawal of its
/// ticket is sent, that request would arrive after it, and take a lock that nobody gives back.
void polling_layout::stop_acquires(const ticket& ticket) {
    operations_.for_each_open([&ticket](operation& each) {
        if (each.ticket.owner == ticket.owner) { each.terms.withdrawn = true; }
    });
}

/// A ticket does not tell of which primitive it is.
void polling_layout::leave(const ticket& ticket, instant now) {
    for (const auto kind : {primitive::mutex, primitive::shared_mutex, primitive::semaphore}) {
        const auto next =
            waiters_.leave(commands_->channel(ticket, kind), ticket.owner.number, now);
        // This waiter may just have been notified of a release.
        if (next) { notify(notice::kind::maybe_free, *next); }
    }
}

template <>
void polling_layout::send(operation& operation, const withdraw_op& op, command_channel& channel,
                          instant now) {
    stop_acquires(op.ticket);
    if (!waiters_.empty()) { leave(op.ticket, now); }
    send_withdrawal(operation, op, request_kind::withdraw, channel, now);
}

template <>
void polling_layout::send(operation& operation, const break_op& op, command_channel& channel,
                          instant now) {
    channel.send(*this, request_kind::withdraw, operation, now,
                 [&](std::string& out) { commands_->break_lock(out, op); });
}

template <>
void polling_layout::send(operation& operation, const beat_op& op, command_channel& channel,
                          instant now) {
    note_items(operation, op);
    channel.send(*this, request_kind::beat, operation, now,
                 [&](std::string& out) { commands_->beat(out, op); });
}

template <>
void polling_layout::send(operation& operation, const inspect_op& op, command_channel& channel,
                          instant now) {
    operation.ticket.name = op.name;
    channel.send(*this, request_kind::inspect, operation, now,
                 [&](std::string& out) { commands_->inspect(out, op.name); });
}

/// A latch. Who watches it subscribes first, so that it misses no message. A read has a not-after,
/// too: the first one sets the count.
template <>
void polling_layout::send(operation& operation, const cell_op& op, command_channel& channel,
                          instant now) {
    channel.clock().refresh(channel.requests(), now);
    operation.not_after = op.not_after;
    if (op.watches) {
        const auto latch_channel = commands_->latch_channel(op.ticket.name);
        waiters_.add(latch_channel, op.ticket.name, op.ticket.owner.number, now);
        channel.subscriptions().add(latch_channel, commands_->sharded(), *this, now);
    }
    channel.send(*this, request_kind::latch, operation, now, [&](std::string& out) {
        commands_->latch(out, op, channel.clock().translate(counts_until(op.not_after, now)));
    });
}

/// What is rejected (see `reject_unsupported`), and what layouts do not handle: see `diagnosis` and
/// `node_joiner`.
template <typename Op>
void polling_layout::send(operation& /*operation*/, const Op& /*op*/, command_channel& /*channel*/,
                          instant /*now*/) {
    assert(false);
}

void polling_layout::begin(operation& operation, const op& op, command_channel& channel,
                           instant now) {
    channel.scripts().ensure(commands_->scripts(), now);
    std::visit([&](const auto& each) { send(operation, each, channel, now); }, op);
}

void polling_layout::on_lost(request& request, bool may_arrive, instant now) {
    const bool by_set = request.is(request_kind::take);
    if (!may_arrive || (!by_set && !request.is(request_kind::acquire))) { return; }
    const operation& lost = *request.op;
    const auto until =
        by_set ? now + late_acquires::longest_delay : base::later(counts_until(lost), clock_error);
    if (until <= now) { return; }
    late_.add(lost.ticket, until, now);
    if (lost.is_cancelled()) { late_.mark_unwanted(lost.ticket.owner, false, now); }
}

void polling_layout::on_ready(instant now) {
    if (!late_.empty()) { late_.resume(now); }
}

instant polling_layout::due() const noexcept { return std::min(waiters_.due(), late_.due()); }

void polling_layout::on_timer(const channel_finder& find, instant now) {
    if (now >= waiters_.due()) { unsubscribe_idle(find, now); }
    if (now >= late_.due()) { withdraw_late(find, now); }
}

void polling_layout::unsubscribe_idle(const channel_finder& find, instant now) {
    for (const auto& idle : waiters_.take_idle(now)) {
        if (auto* const channel = find({&commands_->format(), idle.name})) {
            channel->subscriptions().remove(idle.channel, now);
        }
    }
}

void polling_layout::withdraw_late(const channel_finder& find, instant now) {
    const auto channel_of = [&](const ticket& ticket) {
        return find({&commands_->format(), ticket.name});
    };
    const auto reachable = [&](const ticket& ticket) { return channel_of(ticket) != nullptr; };
    for (const auto& entry : late_.take_due(now, reachable)) {
        command_channel& channel = *channel_of(entry.ticket);
        channel.scripts().ensure(commands_->scripts(), now);
        const auto undoing = operations_.start_internal();
        send_withdrawal(*undoing, {entry.ticket, entry.asks_again}, request_kind::undo, channel,
                        now);
    }
}

} // namespace holdfast::engine::redis
