// admission_rule: drops what has ended, grants waiters and issues tokens.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/tokens.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::admission {

void admission_rule::settle(const base::owner_id* requester) {
    drop_ended_holds();
    grant_waiters(requester);
}

void admission_rule::tidy() {
    settle(nullptr);
    drop_dead_waiters();
}

void admission_rule::drop_ended_holds() {
    if (!state_.holds.empty()) { drop_ended_in_use(); }
    if (state_.broken.empty()) { return; }
    const auto forgotten = [this](const broken_hold& hold) { return hold.until <= at_.now; };
    if (std::erase_if(state_.broken, forgotten) > 0) { changed_ = true; }
}

void admission_rule::drop_ended_in_use() {
    for (hold_record& hold : state_.holds) {
        if (!hold.detached && !hold.resting(at_.now) && !at_.alive(hold.owner.client)) {
            hold.deadline = at_.now;
            changed_ = true;
        }
    }
    const auto ended = [this](const hold_record& hold) {
        if (hold.ends() > at_.now) { return false; }
        keep_past(hold.ends());
        if (hold.mode == mode::exclusive && !hold.released) {
            state_.expired = {hold.owner, hold.token};
        }
        return true;
    };
    if (std::erase_if(state_.holds, ended) > 0) { changed_ = true; }
}

/// Only needed where dead waiters in the middle would be shown or counted: every settle drops those
/// at the front.
void admission_rule::drop_dead_waiters() {
    if (state_.waiting == 0) { return; }
    const unsigned gone = queue_.drop_dead(at_);
    if (gone > 0) {
        state_.waiting -= std::min(gone, state_.waiting);
        changed_ = true;
    }
}

/// `requester` learns of its grant from the answer and needs no notice. Returns how many waiters
/// were granted.
unsigned admission_rule::grant_waiters(const base::owner_id* requester) {
    unsigned granted = 0;
    while (state_.waiting > 0) {
        const waiter* const head = queue_.front();
        if (head == nullptr) { // cannot happen; if it did, nobody could ever acquire this name
            state_.waiting = 0;
            changed_ = true;
            break;
        }
        const bool dead = at_.dead(*head);
        if (!dead && (!fits(head->mode, head->permits) || tokens_exhausted())) { break; }
        // Allocate first: a waiter that has left the queue must be granted or notified.
        make_room(state_.holds);
        make_room(pushes_);
        waiter first = queue_.take();
        --state_.waiting;
        changed_ = true;
        if (dead) { continue; }
        if (first.queue == queueing::hint) {
            pushes_.push_back(
                {first.owner.client, {notice::kind::maybe_free, first.owner.number, 0}});
            continue;
        }
        hand_off(std::move(first), requester);
        ++granted;
    }
    return granted;
}

void admission_rule::hand_off(waiter&& to, const base::owner_id* requester) {
    hold_record& given = state_.holds.emplace_back();
    given.owner = to.owner;
    given.token = issue_token(to.mode, 0);
    given.mode = to.mode;
    given.permits = to.permits;
    given.detached = to.detached;
    given.deadline = base::later(at_.now, std::min(hand_off_lease, to.lease));
    given.rest_until = base::later(at_.now, to.min_hold);
    given.since_wall_us = at_.wall_us;
    given.process = std::move(to.process);
    given.note = std::move(to.note);
    changed_ = true;
    if (requester == nullptr || *requester != given.owner) {
        pushes_.push_back(
            {given.owner.client, {notice::kind::granted, given.owner.number, given.token}});
    }
}

admission_rule::hold_iterator admission_rule::find(const base::owner_id& owner) noexcept {
    return std::find_if(state_.holds.begin(), state_.holds.end(),
                        [&](const hold_record& hold) { return hold.owner == owner; });
}

bool admission_rule::fits(mode mode, unsigned permits) const noexcept {
    const auto& holds = state_.holds;
    if (holds.empty()) { return true; }
    switch (mode) {
    case mode::exclusive: return false;
    case mode::shared:
        return std::all_of(holds.begin(), holds.end(),
                           [](const hold_record& hold) { return hold.mode == mode::shared; });
    case mode::permits: break;
    }
    unsigned taken = permits;
    for (const hold_record& hold : holds) { taken += hold.permits; }
    return taken <= state_.limit;
}

std::uint64_t admission_rule::clock() const noexcept {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(at_.wall_us, 1));
}

std::uint64_t admission_rule::next_token() const noexcept {
    return std::max(std::max(state_.high_water, state_.floor) + 1, clock());
}

bool admission_rule::tokens_exhausted() const noexcept { return next_token() >= token_end; }

std::uint64_t admission_rule::issue_token(mode mode, std::uint64_t proposed) noexcept {
    // Readers carry the epoch. With rising tokens, a guarded store that keeps the maximum would
    // refuse all readers but the last.
    if (mode == mode::shared && state_.epoch != 0) { return state_.epoch; }
    state_.high_water = proposed != 0 ? proposed : next_token();
    if (mode != mode::permits) { state_.epoch = state_.high_water; }
    return state_.high_water;
}

void admission_rule::keep_past(base::instant end) noexcept {
    const base::instant until = base::later(end, idle_retention);
    if (until <= state_.keep_until) { return; }
    state_.keep_until = until;
    changed_ = true;
}

} // namespace holdfast::engine::admission
