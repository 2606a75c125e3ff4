// Asking for a hold: granted, queued, busy or refused.

#include "holdfast/engine/admission/gate.hpp"
#include "holdfast/engine/admission/request.hpp"
#include "holdfast/engine/admission/tokens.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace holdfast::engine::admission {

namespace {

/// Only the first few need to know when a hold ahead of them ends: if all did, all would come at
/// that moment.
constexpr unsigned told_when_to_look = 4;

answer say(op_status status) {
    answer out;
    out.status = status;
    return out;
}

} // namespace

std::optional<answer> gate::wrong_use(const acquire_op& operation) const {
    if (state_.idle()) { return std::nullopt; }
    if (operation.kind != state_.kind) {
        return refuse(errc::wrong_primitive, std::string{"the name is in use as a "} +
                                                 word(state_.kind) + ", not as a " +
                                                 word(operation.kind));
    }
    if (operation.kind == primitive::semaphore && operation.limit != state_.limit) {
        return refuse(errc::wrong_limit, "the semaphore is in use with limit " +
                                             std::to_string(state_.limit) + ", not " +
                                             std::to_string(operation.limit));
    }
    return std::nullopt;
}

answer gate::acquire(const acquire_op& operation, const place& from) {
    if (auto wrong = wrong_request(operation)) { return std::move(*wrong); }
    const base::owner_id& owner = operation.ticket.owner;
    settle(&owner);
    if (const auto held = find(owner); held != state_.holds.end()) {
        return held->resting(at_.now) ? say(op_status::busy) : grant_again(*held, operation);
    }
    // A duplicate that comes too late, or after its own release, must not take the lock: nobody
    // would give it back (P5).
    if (at_.now > operation.not_after || released_last(owner)) { return say(op_status::busy); }
    if (auto wrong = wrong_use(operation)) { return std::move(*wrong); }
    if (state_.waiting == 0 && fits(operation.mode, operation.permits)) {
        return grant(operation, from);
    }
    return operation.queue == queueing::no ? say(op_status::busy) : enqueue(operation, from);
}

/// A proposal neither reads nor raises the store's mark, which the other nodes do not have. Where
/// there is no record, the clock has to tell that it is above all before: records are forgotten
/// only when the clock is a minute past their tokens.
std::optional<answer> gate::wrong_proposal(const acquire_op& request) const {
    if (request.proposed_token == 0) { return std::nullopt; }
    std::uint64_t highest = state_.high_water;
    if (highest == 0) {
        const auto clock = static_cast<std::uint64_t>(std::max<std::int64_t>(at_.wall_us, 1));
        if (request.proposed_token > clock + proposal_window_us) {
            return refuse(errc::invalid_option, "proposed_token: more than 30 s ahead of the "
                                                "clock of this engine");
        }
        highest = clock - std::min(clock, proposal_window_us);
    }
    if (request.proposed_token > highest) { return std::nullopt; }
    answer refused = say(op_status::busy);
    refused.token = highest; // the next proposal must be above it
    return refused;
}

answer gate::grant(const acquire_op& operation, const place& from) {
    if (auto refused = wrong_proposal(operation)) { return std::move(*refused); }
    if (operation.proposed_token == 0 && tokens_used_up()) {
        return refuse(errc::internal,
                      "the next token would not be below 2^53: is the clock right?");
    }
    place where = from;
    std::string note = operation.note;
    make_room(state_.holds);
    // From here on nothing throws: a hold that is half made would be nobody's.
    state_.kind = operation.kind;
    state_.limit = operation.kind == primitive::semaphore ? operation.limit : 1;
    hold& given = state_.holds.emplace_back();
    given.owner = operation.ticket.owner;
    given.token = give_token(operation.mode, operation.proposed_token);
    given.mode = operation.mode;
    given.permits = operation.kind == primitive::semaphore ? operation.permits : 1;
    given.detached = operation.detached;
    given.deadline = base::later(at_.now, operation.lease);
    given.rest_until = base::later(at_.now, operation.min_hold);
    given.since_wall_us = at_.wall_us;
    given.from = std::move(where);
    given.note = std::move(note);
    answer out = say(op_status::granted);
    out.token = given.token;
    keep_past_duplicates(operation);
    changed_ = true;
    return out;
}

/// The asker may count its lease from any request of its own that was answered, so each must hold
/// for that long.
answer gate::grant_again(hold& held, const acquire_op& request) noexcept {
    keep_past_duplicates(request);
    const base::instant deadline = base::later(at_.now, request.lease);
    if (deadline > held.deadline) {
        held.deadline = deadline;
        changed_ = true;
    }
    answer out = say(op_status::granted);
    out.token = held.token;
    return out;
}

answer gate::enqueue(const acquire_op& operation, const place& from) {
    const base::owner_id& owner = operation.ticket.owner;
    const base::instant alive_until = base::later(at_.now, waiter_patience);
    answer out = say(op_status::queued);
    if (state_.waiting > 0 && queue_.touch(owner, alive_until)) {
        out.ahead = queue_.ahead(owner).value_or(0);
    } else {
        if (state_.waiting >= limits::waiters_per_name) { drop_dead_waiters(); }
        if (state_.waiting >= limits::waiters_per_name) {
            return refuse(errc::limit_reached,
                          std::to_string(limits::waiters_per_name) + " wait for this name already");
        }
        const unsigned permits = operation.kind == primitive::semaphore ? operation.permits : 1;
        queue_.push({owner, operation.mode, permits, operation.queue, operation.lease,
                     operation.min_hold, operation.detached, alive_until, at_.wall_us, from,
                     operation.note});
        out.ahead = state_.waiting++;
        changed_ = true;
    }
    keep_past_duplicates(operation);
    out.check_in = check_in(out.ahead);
    return out;
}

/// A request that is never too late is not sent twice. These engines answer a request before it can
/// be repeated, so a not-after far ahead is no reason to keep a record for long.
void gate::keep_past_duplicates(const acquire_op& request) noexcept {
    if (request.not_after == base::never) { return; }
    keep_past(std::min(request.not_after, base::later(at_.now, idle_memory)));
}

base::duration gate::check_in(unsigned ahead) const noexcept {
    if (ahead >= told_when_to_look || state_.holds.empty()) { return base::duration{0}; }
    base::instant first = base::never;
    for (const hold& hold : state_.holds) { first = std::min(first, hold.ends()); }
    return first - at_.now;
}

} // namespace holdfast::engine::admission
