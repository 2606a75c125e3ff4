// What holders, waiters and onlookers do after the grant: beat, release, withdraw, break, inspect.

#include "holdfast/engine/admission/gate.hpp"

#include "holdfast/engine/admission/request.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::engine::admission {

beat_answer gate::beat(const beat_op::item& what) {
    const base::owner_id& owner = what.who.owner;
    settle(&owner);
    beat_answer out;
    out.who = what.who;
    out.what = fate::lost;
    const auto held = find(owner);
    const bool holds = held != state_.holds.end() && !held->resting(at_.now);
    if (!what.waiting) {
        if (!lease_in_range(what.lease)) {
            out.what = fate::failed;
        } else if (holds) {
            const auto until = base::later(at_.now, what.lease);
            held->deadline = what.order == 0 ? std::max(held->deadline, until) : until;
            changed_ = true;
            out.what = fate::renewed;
        }
    } else if (holds) {
        out.what = fate::granted;
        out.token = held->token;
    } else if (state_.waiting > 0 && queue_.touch(owner, base::later(at_.now, waiter_patience))) {
        out.what = fate::queued;
        out.ahead = queue_.ahead(owner).value_or(0);
        out.check_in = check_in(out.ahead);
    }
    return out;
}

fate gate::release(const base::owner_id& owner) {
    drop_ended_holds();
    const auto held = find(owner);
    const bool found = held != state_.holds.end();
    if (!found || held->resting(at_.now)) {
        const fate before = found && held->released ? fate::released : fate::not_held;
        grant_heads(nullptr);
        return released_last(owner) ? state_.last.what : before;
    }
    const bool rests = held->rest_until > at_.now;
    if (rests) {
        held->released = true;
    } else {
        state_.holds.erase(held);
    }
    remember(owner, fate::released); // before anything can throw: by now it is done
    if (grant_heads(nullptr) == 0 || rests) { return fate::released; }
    remember(owner, fate::handed_off);
    return fate::handed_off;
}

fate gate::withdraw(const base::owner_id& owner) {
    drop_ended_holds();
    fate done = released_last(owner) ? fate::released : fate::not_held;
    const auto held = find(owner);
    if (held != state_.holds.end() && !held->resting(at_.now)) {
        // min_hold is for work that was done. Nobody heard of this grant, so none was.
        state_.holds.erase(held);
        remember(owner, fate::released);
        done = fate::released;
    } else if (state_.waiting > 0 && queue_.erase(owner)) {
        --state_.waiting;
        changed_ = true;
        done = fate::released;
    }
    grant_heads(nullptr); // it may have been the head that did not fit
    return done;
}

fate gate::take_away(const break_op& what) {
    // Not settled first: who would be granted by that did not hold when the break was asked for.
    drop_ended_holds();
    pushes_.reserve(pushes_.size() + state_.holds.size()); // below, nothing may throw
    const auto gone = std::erase_if(state_.holds, [&](const hold& one) {
        if (what.only_token != 0 && one.token != what.only_token) { return false; }
        if (!one.resting(at_.now)) {
            pushes_.push_back(
                {one.owner.client, {notice::kind::broken, one.owner.number, one.token}});
        }
        keep_past(std::max(at_.now, one.deadline)); // until then its owner may believe in it
        return true;
    });
    if (gone > 0) { changed_ = true; }
    grant_heads(nullptr);
    return gone > 0 ? fate::released : fate::not_held;
}

namespace {

std::chrono::system_clock::time_point wall(std::int64_t us) {
    return std::chrono::system_clock::time_point{std::chrono::microseconds{us}};
}

template <typename Entry>
party describe(const Entry& one) {
    party out;
    out.owner = one.owner.text();
    out.how = one.how;
    out.permits = one.permits;
    out.host = one.from.host;
    out.pid = one.from.pid;
    out.note = one.note;
    out.since = wall(one.since_wall_us);
    return out;
}

} // namespace

lock_info gate::inspect(const std::string& name) {
    tidy();
    lock_info out;
    out.name = name;
    out.kind = state_.kind;
    out.limit = state_.limit;
    out.last_token = state_.high_water;
    const auto until = [this](base::instant end) {
        return std::chrono::duration_cast<base::milliseconds>(end - at_.now);
    };
    for (const hold& one : state_.holds) {
        party& holder = out.holders.emplace_back(describe(one));
        holder.token = one.token;
        holder.resting = one.resting(at_.now);
        holder.remaining = until(holder.resting ? one.rest_until : one.deadline);
    }
    if (state_.waiting > 0) {
        queue_.visit([&](const waiter& one) {
            out.waiters.emplace_back(describe(one)).remaining = until(one.alive_until);
        });
    }
    return out;
}

bool gate::released_last(const base::owner_id& owner) const noexcept {
    return state_.last.what != fate::not_held && state_.last.owner == owner;
}

void gate::remember(const base::owner_id& owner, fate what) noexcept {
    state_.last = {owner, what};
    keep_past(at_.now);
    changed_ = true;
}

} // namespace holdfast::engine::admission
