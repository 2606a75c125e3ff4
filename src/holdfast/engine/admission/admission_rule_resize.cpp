// admission_rule::resize: another limit of a semaphore, for all its users.

#include "holdfast/engine/admission/admission_rule.hpp"
#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/misuse_texts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::engine::admission {

namespace {

answer report_limit(const resized_limit& known, bool applied) {
    report found;
    found.limit = known.limit;
    found.generation = known.generation;
    found.applied = applied;
    answer out;
    out.status = op_status::reported;
    out.report = std::make_shared<const report>(std::move(found));
    return out;
}

} // namespace

/// A limit that was set counts for all, whatever limit they were made with.
unsigned admission_rule::limit_for(const acquire_op& operation) const noexcept {
    return state_.resized.limit != 0 ? state_.resized.limit : operation.limit;
}

answer admission_rule::resize(const resize_op& operation) {
    auto& known = state_.resized;
    if (operation.limit == 0) { return report_limit(known, false); }
    if (known.limit != 0 && known.by == operation.ticket.owner) {
        return report_limit(known, true); // it was done before
    }
    if (at_.now > operation.not_after) {
        answer late;
        late.status = op_status::busy;
        return late;
    }
    if (known.generation != operation.generation) { return report_limit(known, false); }
    settle(nullptr);
    if (!state_.idle() && state_.kind != primitive::semaphore) {
        return failed_answer(errc::wrong_primitive,
                             other_kind_text(state_.kind, primitive::semaphore));
    }
    known = {operation.limit, std::max(known.generation + 1, clock()), operation.ticket.owner};
    changed_ = true;
    keep_past(at_.now);
    if (!state_.idle()) {
        state_.limit = operation.limit;
        drop_waiters_above_limit();
        if (grant_waiters(nullptr) == 0) { notify_listeners(); }
    }
    return report_limit(known, true);
}

/// They would wait for ever, and all others behind them. They ask again, and learn why.
void admission_rule::drop_waiters_above_limit() {
    if (state_.waiting == 0) { return; }
    std::vector<base::owner_id> gone;
    queue_.visit([&](const waiter& each) {
        if (each.permits > state_.limit) { gone.push_back(each.owner); }
    });
    pushes_.reserve(pushes_.size() + gone.size());
    for (const auto& owner : gone) {
        if (!queue_.erase(owner)) { continue; }
        --state_.waiting;
        pushes_.push_back({owner.client, {notice::kind::maybe_free, owner.number, 0}});
    }
}

} // namespace holdfast::engine::admission
