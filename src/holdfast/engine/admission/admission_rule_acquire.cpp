// admission_rule::acquire: grants, queues or refuses a request.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/admission/tokens.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace holdfast::engine::admission {

namespace {

/// Only the first few waiters are told when a hold ahead of them ends. If all were, all would ask
/// at that moment.
constexpr unsigned waiters_with_check_in = 4;

answer make_answer(op_status status) {
    answer out;
    out.status = status;
    return out;
}

answer ticket_ended() {
    answer out = make_answer(op_status::busy);
    out.ticket_ended = true;
    return out;
}

answer no_tokens_left() {
    return failed_answer(errc::internal,
                         "the next token would not be below 2^53: is the clock right?");
}

answer proposal_too_far_ahead() {
    return failed_answer(
        errc::invalid_option,
        "the proposed token is more than 30 s ahead of the clock of this engine; set the clocks");
}

} // namespace

std::optional<answer> admission_rule::reject_mismatch(const acquire_op& operation) const {
    if (state_.idle()) { return std::nullopt; }
    if (operation.kind != state_.kind) {
        return failed_answer(errc::wrong_primitive, other_kind_text(state_.kind, operation.kind));
    }
    if (operation.kind == primitive::semaphore && limit_for(operation) != state_.limit) {
        return failed_answer(errc::wrong_limit, other_limit_text(state_.limit, operation.limit));
    }
    return std::nullopt;
}

/// Why the requester does not get it, whoever else holds the name or waits for it.
std::optional<answer> admission_rule::reject_request(const acquire_op& operation) const {
    // A duplicate that arrives after its not-after, or after its own release, must not take the
    // lock: nobody would release it (P5). Nor does the owner of a broken hold get it again.
    const base::owner_id& owner = operation.ticket.owner;
    const bool ended = released_last(owner) || is_broken(owner);
    if (ended || at_.now > operation.not_after) {
        return ended ? ticket_ended() : make_answer(op_status::busy);
    }
    if (auto rejected = reject_mismatch(operation)) { return rejected; }
    if (operation.kind == primitive::semaphore && operation.permits > limit_for(operation)) {
        return too_many_permits(operation.permits, limit_for(operation));
    }
    return std::nullopt;
}

answer admission_rule::acquire(const acquire_op& operation, const client_process& process) {
    if (auto rejected = reject_invalid(operation)) { return std::move(*rejected); }
    return acquire_valid(operation, process);
}

answer admission_rule::acquire_valid(const acquire_op& operation, const client_process& process) {
    const base::owner_id& owner = operation.ticket.owner;
    settle(&owner);
    if (const auto held = find(owner); held != state_.holds.end()) {
        // Nobody heard of it in time.
        return held->resting(at_.now) ? ticket_ended() : grant_again(*held, operation);
    }
    if (auto rejected = reject_request(operation)) { return std::move(*rejected); }
    if (state_.waiting == 0 && fits(operation.mode, operation.permits)) {
        return grant(operation, process);
    }
    switch (operation.queue) {
    case queueing::no: return make_answer(op_status::busy);
    case queueing::listen: return listen(operation);
    default: return enqueue(operation, process);
    }
}

std::optional<answer> admission_rule::refuse(const acquire_op& operation) {
    if (auto rejected = reject_invalid(operation)) { return rejected; }
    settle(&operation.ticket.owner);
    if (const auto held = find(operation.ticket.owner); held != state_.holds.end()) {
        return held->resting(at_.now) ? std::optional{make_answer(op_status::busy)} : std::nullopt;
    }
    if (auto rejected = reject_request(operation)) { return rejected; }
    if (state_.waiting > 0 || !fits(operation.mode, operation.permits)) {
        return make_answer(op_status::busy);
    }
    return tokens_exhausted() ? std::optional{no_tokens_left()} : std::nullopt;
}

/// Names of a set must differ: one that occurs twice is not granted twice.
answer admission_rule::acquire_unrefused(const acquire_op& operation,
                                         const client_process& process) {
    if (const auto held = find(operation.ticket.owner); held != state_.holds.end()) {
        return grant_again(*held, operation);
    }
    return fits(operation.mode, operation.permits) ? grant(operation, process)
                                                   : make_answer(op_status::busy);
}

/// A proposal neither reads nor raises the store's mark, which the other nodes do not have. Without
/// a record, the clock shows that the proposal is above all earlier tokens: a record is deleted
/// only when the clock is a minute past its tokens.
std::optional<answer> admission_rule::reject_proposal(const acquire_op& request) const {
    if (request.proposed_token == 0) { return std::nullopt; }
    if (too_far_ahead(request.proposed_token)) { return proposal_too_far_ahead(); }
    const std::uint64_t highest = state_.high_water != 0
                                      ? state_.high_water
                                      : clock() - std::min(clock(), proposal_window_us);
    if (request.proposed_token > highest) { return std::nullopt; }
    answer rejected = make_answer(op_status::busy);
    // The next proposal must be above it. Without a record the clock is named: a little above
    // `highest` would be too low when it arrives.
    rejected.token = state_.high_water != 0 ? highest : highest + proposal_window_us;
    return rejected;
}

answer admission_rule::grant(const acquire_op& operation, const client_process& process) {
    if (auto rejected = reject_proposal(operation)) { return std::move(*rejected); }
    if (operation.proposed_token == 0 && tokens_exhausted()) { return no_tokens_left(); }
    add_hold(operation, process, operation.lease);
    state_.holds.back().token = issue_token(operation.mode, operation.proposed_token);
    answer out = make_answer(op_status::granted);
    out.token = state_.holds.back().token;
    keep_past_duplicates(operation);
    return out;
}

/// Adds a hold with these terms, without a token. If it throws, nothing has changed: a half-made
/// hold would have no owner to release it.
void admission_rule::add_hold(const acquire_op& terms, const client_process& process,
                              base::milliseconds lease) {
    make_room(state_.holds);
    state_.holds.push_back({.owner = terms.ticket.owner,
                            .mode = terms.mode,
                            .permits = terms.kind == primitive::semaphore ? terms.permits : 1,
                            .detached = terms.detached,
                            .deadline = base::later(at_.now, lease),
                            .rest_until = base::later(at_.now, terms.min_hold),
                            .since_wall_us = at_.wall_us,
                            .process = process,
                            .note = terms.note});
    state_.kind = terms.kind;
    state_.limit = terms.kind == primitive::semaphore ? limit_for(terms) : 1;
    changed_ = true;
}

/// The requester may count its lease from any of its answered requests, so each request renews the
/// hold. A higher proposal raises the token: the nodes of a quorum must agree on one.
answer admission_rule::grant_again(hold_record& held, const acquire_op& request) {
    if (request.proposed_token > held.token) {
        if (too_far_ahead(request.proposed_token)) { return proposal_too_far_ahead(); }
        held.token = request.proposed_token;
        state_.high_water = std::max(state_.high_water, held.token);
        state_.epoch = std::max(state_.epoch, held.token);
        changed_ = true;
    }
    keep_past_duplicates(request);
    const base::instant deadline = base::later(at_.now, request.lease);
    if (deadline > held.deadline) {
        held.deadline = deadline;
        changed_ = true;
    }
    answer out = make_answer(op_status::granted);
    out.token = held.token;
    return out;
}

answer admission_rule::enqueue(const acquire_op& operation, const client_process& process) {
    const base::owner_id& owner = operation.ticket.owner;
    const base::instant alive_until = base::later(at_.now, waiter_timeout);
    answer out = make_answer(op_status::queued);
    if (state_.waiting > 0 && queue_.touch(owner, alive_until)) {
        out.ahead = queue_.ahead(owner).value_or(0);
    } else {
        if (state_.waiting >= limits::waiters_per_name) { drop_dead_waiters(); }
        if (state_.waiting >= limits::waiters_per_name) {
            return failed_answer(errc::limit_reached, std::to_string(limits::waiters_per_name) +
                                                          " wait for this name already");
        }
        const unsigned permits = operation.kind == primitive::semaphore ? operation.permits : 1;
        queue_.push({owner, operation.mode, permits, operation.queue, operation.lease,
                     operation.min_hold, operation.detached, alive_until, at_.wall_us, process,
                     operation.note});
        out.ahead = state_.waiting++;
        changed_ = true;
    }
    keep_past_duplicates(operation);
    out.check_in = check_in(out.ahead);
    return out;
}

/// A request without a not-after is never sent twice. These engines answer a request before it can
/// be repeated, so a not-after far ahead is no reason to keep the record for long.
void admission_rule::keep_past_duplicates(const acquire_op& request) noexcept {
    if (request.not_after == base::never) { return; }
    keep_past(std::min(request.not_after, base::later(at_.now, idle_retention)));
}

base::duration admission_rule::check_in(unsigned ahead) const noexcept {
    if (ahead >= waiters_with_check_in || state_.holds.empty()) { return base::duration{0}; }
    base::instant first = base::never;
    for (const hold_record& hold : state_.holds) { first = std::min(first, hold.ends()); }
    return first - at_.now;
}

} // namespace holdfast::engine::admission
