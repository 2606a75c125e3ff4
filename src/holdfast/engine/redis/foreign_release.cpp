// The part of the engine that gives up locks in layouts that others made, and undoes acquires that
// reach the server after that.
//
// An acquire whose connection ended without an answer is repeated on the next connection. The first
// one may arrive last: after its ticket was released, and after others had their turns.
//
//   after its not-after              scripts refuse it
//   redisson, or plain with tokens   its release leaves a memory: scripts refuse it
//   plain without tokens             it takes the lock, and is withdrawn: see late_acquires.hpp

#include "holdfast/engine/redis/layout.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// Releases that were sent and never answered; older ones are forgotten.
constexpr std::size_t most_half_released = 10'000;

/// A release by another client than the owner's, e.g. by the command line, is remembered for so
/// long: the same words again have the same answer.
constexpr base::milliseconds recall{60'000};

/// How far the server's clock may be ahead of what it is taken for; see server_clock.
constexpr base::milliseconds clock_error{1000};

} // namespace

/// What a release or a withdrawal of this ticket has to leave on the server.
release_memory redis_engine::memory_for(const ticket& lock, foreign_layout& layout, instant now) {
    if (late_.empty()) { return {}; }
    const auto delay = late_.may_arrive_for(lock.owner, now);
    if (delay <= base::duration::zero()) { return {}; }
    late_.forsake(lock.owner, now);
    const bool fenced = lock.format.fencing.value_or(where_.fencing);
    if (!layout.minds_releases(fenced)) { return {}; }
    return {std::chrono::ceil<base::milliseconds>(delay), true};
}

void redis_engine::write_foreign(flight& to, const release_op& operation) {
    to.ticket = operation.ticket;
    to.terms.resent = std::erase(half_released_, operation.ticket.owner) > 0;
    if (half_released_.size() >= most_half_released) { half_released_.clear(); }
    half_released_.push_back(operation.ticket.owner);
    auto memory = memory_for(operation.ticket, *to.in, to.sent);
    if (operation.ticket.owner.client != client_) {
        memory.length = std::max(memory.length, recall);
    }
    to.terms.remembered = memory.length.count() > 0;
    to.in->release(link_.now()->out(), operation.ticket, memory);
}

void redis_engine::write_foreign(flight& to, const withdraw_op& operation) {
    if (!waits_.empty()) {
        const auto next = waits_.left(to.in->channel(operation.ticket.name),
                                      operation.ticket.owner.number, to.sent);
        // It may have been told of a release just now.
        if (next) { sink_->noticed({notice::kind::maybe_free, *next, 0}); }
    }
    to.ticket = operation.ticket;
    const auto memory = memory_for(operation.ticket, *to.in, to.sent);
    to.terms.remembered = memory.length.count() > 0;
    to.in->withdraw(link_.now()->out(), operation.ticket, memory);
}

/// A release or a withdrawal was done, and is remembered where that was asked for.
void redis_engine::note_remembered(const flight& done) {
    if (done.terms.remembered && !late_.empty()) { late_.forget(done.ticket.owner); }
}

void redis_engine::heard_released(flight& request, const reply& reply, instant now) {
    std::erase(half_released_, request.ticket.owner);
    note_remembered(request);
    answer out = read_release(reply);
    // The first request may have done it, and its answer was lost.
    if (out.status == op_status::not_held && request.terms.resent) {
        out.status = op_status::released;
    }
    const bool done = out.status == op_status::released;
    say(request, std::move(out));
    if (!done || request.terms.remembered) { return; }
    std::string bytes;
    if (!request.in->tidy(bytes, request.ticket)) { return; }
    ours(request_kind::undo, now, [&](std::string& to, flight& /*made*/) { to += bytes; });
}

/// Its connection has ended: it may be on its way still.
void redis_engine::note_late(const flight& lost, instant now) {
    const bool by_set = lost.kind == request_kind::take;
    if (lost.in == nullptr || (!by_set && lost.kind != request_kind::acquire)) { return; }
    const auto until =
        by_set ? now + late_acquires::longest_delay : base::later(counts_until(lost), clock_error);
    if (until <= now) { return; }
    late_.add(lost.ticket, lost.in, until, now);
    if (lost.cancelled) { late_.forsake(lost.ticket.owner, now); }
}

void redis_engine::undo_late(instant now) {
    for (const auto& entry : late_.take_due(now)) {
        need_scripts(*entry.layout, now);
        const auto memory = memory_for(entry.lock, *entry.layout, now);
        ours(request_kind::undo, now, [&](std::string& out, flight& made) {
            made.ticket = entry.lock;
            made.terms.remembered = memory.length.count() > 0;
            entry.layout->withdraw(out, entry.lock, memory);
        });
    }
}

} // namespace holdfast::engine::redis
