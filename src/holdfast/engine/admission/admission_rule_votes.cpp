// admission_rule: what a quorum needs of its nodes: listeners, reclaims, and a memory of broken
// holds.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/admission/tokens.hpp"

#include <algorithm>

namespace holdfast::engine::admission {

/// Of a proposal: one such token would keep all honest proposals away for as long as it is ahead.
bool admission_rule::too_far_ahead(std::uint64_t token) const noexcept {
    return token > std::max(clock(), state_.high_water) + proposal_window_us;
}

answer admission_rule::listen(const acquire_op& operation) {
    const base::owner_id& owner = operation.ticket.owner;
    const base::instant alive_until = base::later(at_.now, waiter_timeout);
    auto& all = state_.listeners;
    std::erase_if(all, [this](const listener& each) { return each.alive_until <= at_.now; });
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const listener& each) { return each.owner == owner; });
    if (known != all.end()) {
        known->alive_until = alive_until;
    } else if (all.size() < max_listeners) {
        all.push_back({owner, alive_until});
    }
    changed_ = true;
    keep_past_duplicates(operation);
    answer out;
    out.status = op_status::queued;
    out.check_in = check_in(0);
    return out;
}

bool admission_rule::stop_listening(const base::owner_id& owner) noexcept {
    const auto left =
        std::erase_if(state_.listeners, [&](const listener& each) { return each.owner == owner; });
    if (left > 0) { changed_ = true; }
    return left > 0;
}

/// A hold has ended and nobody was granted the lock. Readers that remain still exclude writers, but
/// a permit more may be what somebody waits for.
void admission_rule::notify_listeners() {
    const bool is_free = state_.holds.empty() || state_.kind == primitive::semaphore;
    if (!is_free || state_.listeners.empty()) { return; }
    pushes_.reserve(pushes_.size() + state_.listeners.size());
    for (const listener& each : state_.listeners) {
        if (each.alive_until <= at_.now) { continue; }
        pushes_.push_back({each.owner.client, {notice::kind::maybe_free, each.owner.number, 0}});
    }
    state_.listeners.clear();
    changed_ = true;
}

bool admission_rule::is_broken(const base::owner_id& owner) const noexcept {
    return std::any_of(state_.broken.begin(), state_.broken.end(),
                       [&](const broken_hold& each) { return each.owner == owner; });
}

/// REQUIRES: there is room for one more, up to the limit.
void admission_rule::remember_broken(const base::owner_id& owner) noexcept {
    if (state_.broken.size() >= max_broken_holds) { state_.broken.erase(state_.broken.begin()); }
    state_.broken.push_back({owner, base::later(at_.now, idle_retention)});
}

/// Permits are left out: their tokens do not rise from hold to hold, so a token cannot show that
/// nobody held the name since.
bool admission_rule::may_reclaim(const beat_op::item& item) const {
    const acquire_op& terms = *item.reclaim;
    const base::owner_id& owner = item.ticket.owner;
    if (terms.mode == mode::permits || at_.now > terms.not_after) { return false; }
    if (item.token == 0 || item.token >= token_end || item.token > clock() + proposal_window_us ||
        item.token < state_.high_water) {
        return false;
    }
    // Readers share a token. An exclusive hold has its own: if that is the highest, it must be the
    // owner's.
    const bool own = state_.expired.token == item.token && state_.expired.owner == owner;
    if (terms.mode == mode::exclusive && item.token == state_.high_water && !own) { return false; }
    if (released_last(owner) || is_broken(owner)) { return false; }
    return state_.waiting == 0 && fits(terms.mode, terms.permits) && !reject_mismatch(terms) &&
           !reject_invalid(terms);
}

bool admission_rule::reclaim(const beat_op::item& item, const client_process& process) {
    if (!may_reclaim(item)) { return false; }
    add_hold(*item.reclaim, process, item.lease);
    hold_record& made = state_.holds.back();
    made.owner = item.ticket.owner;
    made.token = item.token;
    state_.high_water = std::max(state_.high_water, item.token);
    state_.epoch = std::max(state_.epoch, item.token);
    return true;
}

/// A hold is released of which the engine knows nothing: it has lost it. Later tokens must be above
/// its token all the same.
void admission_rule::remember_token(std::uint64_t token) noexcept {
    const bool known = token <= std::max(state_.high_water, state_.floor);
    if (known || token >= token_end || token > clock() + proposal_window_us) { return; }
    state_.high_water = token;
    state_.epoch = std::max(state_.epoch, token);
    keep_past(at_.now);
    changed_ = true;
}

} // namespace holdfast::engine::admission
