// admission_rule: all operations but acquire: beat, release, withdraw, break, inspect.

#include "holdfast/engine/admission/admission_rule.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/misuse_texts.hpp"
#include "holdfast/engine/stored_time.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::engine::admission {

beat_answer admission_rule::beat(const beat_op::item& item, const client_process& process) {
    const base::owner_id& owner = item.ticket.owner;
    settle(&owner);
    beat_answer out;
    out.ticket = item.ticket;
    out.status = op_status::lost;
    const auto held = find(owner);
    const bool holds = held != state_.holds.end() && !held->resting(at_.now);
    if (!item.waiting) {
        if (!lease_in_range(item.lease)) {
            out.status = op_status::failed;
        } else if (holds) {
            const auto until = base::later(at_.now, item.lease);
            held->deadline = item.order == 0 ? std::max(held->deadline, until) : until;
            changed_ = true;
            out.status = op_status::renewed;
        } else if (item.reclaim != nullptr && reclaim(item, process)) {
            out.status = op_status::reclaimed;
        }
    } else if (holds) {
        out.status = op_status::granted;
        out.token = held->token;
    } else if (state_.waiting > 0 && queue_.touch(owner, base::later(at_.now, waiter_timeout))) {
        out.status = op_status::queued;
        out.ahead = queue_.ahead(owner).value_or(0);
        out.check_in = check_in(out.ahead);
    }
    return out;
}

op_status admission_rule::release(const release_op& operation) {
    const base::owner_id& owner = operation.ticket.owner;
    drop_ended_holds();
    const auto held = find(owner);
    const bool found = held != state_.holds.end();
    if (!found || held->resting(at_.now)) {
        const op_status before =
            found && held->released ? op_status::released : op_status::not_held;
        grant_waiters(nullptr);
        if (released_last(owner)) { return state_.last.status; }
        if (!found) { remember_token(operation.token); }
        return before;
    }
    const bool rests = held->rest_until > at_.now;
    if (rests) {
        held->released = true;
    } else {
        state_.holds.erase(held);
    }
    set_last_release(owner, op_status::released); // before anything can throw: the hold has ended
    if (grant_waiters(nullptr) == 0 || rests) {
        if (!rests) { notify_listeners(); }
        return op_status::released;
    }
    set_last_release(owner, op_status::handed_off);
    return op_status::handed_off;
}

/// Readers carry the epoch, which is the token of this hold: it needs no other one.
answer admission_rule::downgrade(const downgrade_op& operation) {
    answer out;
    out.status = op_status::lost;
    drop_ended_holds();
    const auto held = find(operation.ticket.owner);
    if (held != state_.holds.end() && !held->resting(at_.now)) {
        if (state_.kind != primitive::shared_mutex) {
            return failed_answer(errc::wrong_primitive, other_kind_text(state_.kind));
        }
        changed_ = changed_ || held->mode != mode::shared;
        held->mode = mode::shared;
        out.status = op_status::renewed;
    }
    if (grant_waiters(nullptr) == 0 && out.status == op_status::renewed) { notify_listeners(); }
    return out;
}

op_status admission_rule::withdraw(const withdraw_op& operation) {
    const base::owner_id& owner = operation.ticket.owner;
    drop_ended_holds();
    op_status done = released_last(owner) ? op_status::released : op_status::not_held;
    const auto held = find(owner);
    bool freed = false;
    if (held != state_.holds.end() && !held->resting(at_.now)) {
        // No min_hold: the owner never learned of this grant, so it did no work.
        state_.holds.erase(held);
        changed_ = true;
        keep_past(at_.now);
        if (!operation.asks_again) { set_last_release(owner, op_status::released); }
        freed = true;
    } else if (state_.waiting > 0 && queue_.erase(owner)) {
        --state_.waiting;
        changed_ = true;
        done = op_status::released;
    }
    if (stop_listening(owner) || freed) { done = op_status::released; }
    // The head that did not fit may have left.
    if (grant_waiters(nullptr) == 0 && freed) { notify_listeners(); }
    return done;
}

op_status admission_rule::break_lock(const break_op& operation) {
    // Grants nothing first: a waiter granted here did not hold when the break was requested.
    drop_ended_holds();
    // Below, nothing may throw.
    pushes_.reserve(pushes_.size() + state_.holds.size());
    state_.broken.reserve(std::min(state_.broken.size() + state_.holds.size(), max_broken_holds));
    const auto gone = std::erase_if(state_.holds, [&](const hold_record& hold) {
        if (operation.only_token != 0 && hold.token != operation.only_token) { return false; }
        if (!hold.resting(at_.now)) {
            pushes_.push_back(
                {hold.owner.client, {notice::kind::broken, hold.owner.number, hold.token}});
            remember_broken(hold.owner);
        }
        keep_past(
            std::max(at_.now, hold.deadline)); // until then its owner may believe that it holds
        return true;
    });
    if (gone > 0) { changed_ = true; }
    if (grant_waiters(nullptr) == 0 && gone > 0) { notify_listeners(); }
    return gone > 0 ? op_status::released : op_status::not_held;
}

namespace {

template <typename Entry>
party describe_party(const Entry& entry, std::int64_t now_wall_us) {
    party out;
    out.owner = entry.owner.text();
    out.mode = entry.mode;
    out.permits = entry.permits;
    out.host = entry.process.host;
    out.pid = entry.process.pid;
    out.note = entry.note;
    out.since = std::chrono::system_clock::time_point{stored_time(entry.since_wall_us)};
    out.age = stored_age(entry.since_wall_us, now_wall_us);
    return out;
}

} // namespace

lock_info admission_rule::inspect(const std::string& name) {
    tidy();
    return describe(name);
}

lock_info admission_rule::inspect_copy(const std::string& name) {
    drop_ended_holds();
    drop_dead_waiters();
    return describe(name);
}

lock_info admission_rule::describe(const std::string& name) {
    lock_info out;
    out.name = name;
    out.kind = state_.kind;
    out.limit = state_.limit;
    out.resized =
        state_.resized.limit != 0 && (state_.idle() || state_.kind == primitive::semaphore);
    if (out.resized) {
        out.kind = primitive::semaphore;
        out.limit = state_.resized.limit;
    }
    out.last_token = state_.high_water;
    const auto until = [this](base::instant end) {
        return std::chrono::duration_cast<base::milliseconds>(end - at_.now);
    };
    for (const hold_record& hold : state_.holds) {
        party& holder = out.holders.emplace_back(describe_party(hold, at_.wall_us));
        holder.token = hold.token;
        holder.resting = hold.resting(at_.now);
        holder.remaining = until(holder.resting ? hold.rest_until : hold.deadline);
    }
    if (state_.waiting > 0) {
        queue_.visit([&](const waiter& waiter) {
            party& entry = out.waiters.emplace_back(describe_party(waiter, at_.wall_us));
            entry.remaining = until(waiter.alive_until);
        });
    }
    return out;
}

bool admission_rule::released_last(const base::owner_id& owner) const noexcept {
    return state_.last.status != op_status::not_held && state_.last.owner == owner;
}

void admission_rule::set_last_release(const base::owner_id& owner, op_status status) noexcept {
    state_.last = {owner, status};
    keep_past(at_.now);
    changed_ = true;
}

} // namespace holdfast::engine::admission
