// Asking for a hold: granted, queued, busy or refused.

#include "holdfast/engine/admission/gate.hpp"
#include "holdfast/engine/admission/request.hpp"

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

answer say(fate what) {
    answer out;
    out.what = what;
    return out;
}

} // namespace

std::optional<answer> gate::wrong_use(const acquire_op& what) const {
    if (state_.idle()) { return std::nullopt; }
    if (what.kind != state_.kind) {
        return refuse(errc::wrong_primitive, std::string{"the name is in use as a "} +
                                                 word(state_.kind) + ", not as a " +
                                                 word(what.kind));
    }
    if (what.kind == primitive::semaphore && what.limit != state_.limit) {
        return refuse(errc::wrong_limit, "the semaphore is in use with limit " +
                                             std::to_string(state_.limit) + ", not " +
                                             std::to_string(what.limit));
    }
    return std::nullopt;
}

answer gate::acquire(const acquire_op& what, const place& from) {
    if (auto wrong = wrong_request(what)) { return std::move(*wrong); }
    const base::owner_id& owner = what.who.owner;
    settle(&owner);
    if (const auto held = find(owner); held != state_.holds.end()) {
        return held->resting(at_.now) ? say(fate::busy) : grant_again(*held, what.lease);
    }
    // A duplicate that comes too late, or after its own release, must not take the lock: nobody
    // would give it back (P5).
    if (at_.now > what.not_after || released_last(owner)) { return say(fate::busy); }
    if (auto wrong = wrong_use(what)) { return std::move(*wrong); }
    if (state_.waiting == 0 && fits(what.how, what.permits)) { return grant(what, from); }
    return what.queue == queueing::no ? say(fate::busy) : enqueue(what, from);
}

answer gate::grant(const acquire_op& what, const place& from) {
    if (what.proposed_token != 0 && what.proposed_token <= state_.high_water) {
        answer refused = say(fate::busy);
        refused.token = state_.high_water; // the next proposal must be above it
        return refused;
    }
    if (what.proposed_token == 0 && tokens_used_up()) {
        return refuse(errc::internal,
                      "the next token would not be below 2^53: is the clock right?");
    }
    hold given;
    given.owner = what.who.owner;
    given.how = what.how;
    given.permits = what.kind == primitive::semaphore ? what.permits : 1;
    given.detached = what.detached;
    given.deadline = base::later(at_.now, what.lease);
    given.rest_until = base::later(at_.now, what.min_hold);
    given.since_wall_us = at_.wall_us;
    given.from = from;
    given.note = what.note;
    make_room(state_.holds);
    // From here on nothing throws: a hold that is half made would be nobody's.
    state_.kind = what.kind;
    state_.limit = what.kind == primitive::semaphore ? what.limit : 1;
    given.token = give_token(what.how, what.proposed_token);
    answer out = say(fate::granted);
    out.token = given.token;
    state_.holds.push_back(std::move(given));
    used();
    return out;
}

/// The asker may count its lease from any request of its own that was answered, so each must hold
/// for that long.
answer gate::grant_again(hold& held, base::milliseconds lease) noexcept {
    const base::instant deadline = base::later(at_.now, lease);
    if (deadline > held.deadline) {
        held.deadline = deadline;
        changed_ = true;
    }
    answer out = say(fate::granted);
    out.token = held.token;
    return out;
}

answer gate::enqueue(const acquire_op& what, const place& from) {
    const base::owner_id& owner = what.who.owner;
    const base::instant alive_until = base::later(at_.now, waiter_patience);
    answer out = say(fate::queued);
    if (state_.waiting > 0 && queue_.touch(owner, alive_until)) {
        out.ahead = queue_.ahead(owner).value_or(0);
    } else {
        if (state_.waiting >= limits::waiters_per_name) { drop_dead_waiters(); }
        if (state_.waiting >= limits::waiters_per_name) {
            return refuse(errc::limit_reached,
                          std::to_string(limits::waiters_per_name) + " wait for this name already");
        }
        const unsigned permits = what.kind == primitive::semaphore ? what.permits : 1;
        queue_.push({owner, what.how, permits, what.queue, what.lease, what.min_hold, what.detached,
                     alive_until, at_.wall_us, from, what.note});
        out.ahead = state_.waiting++;
        changed_ = true;
    }
    out.check_in = check_in(out.ahead);
    return out;
}

base::duration gate::check_in(unsigned ahead) const noexcept {
    if (ahead >= told_when_to_look || state_.holds.empty()) { return base::duration{0}; }
    base::instant first = base::never;
    for (const hold& one : state_.holds) { first = std::min(first, one.ends()); }
    return first - at_.now;
}

} // namespace holdfast::engine::admission
