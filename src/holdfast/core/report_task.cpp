#include "holdfast/core/report_task.hpp"

#include "holdfast/core/client_core.hpp"

#include <holdfast/error.hpp>

#include <algorithm>

namespace holdfast::core {

namespace {
constexpr base::milliseconds retry_pause{100};

/// Whether it may run twice. A second break without a token would break the next holder's lock.
bool repeatable(const engine::op& operation) {
    const auto* const break_op = std::get_if<engine::break_op>(&operation);
    return break_op == nullptr || break_op->only_token != 0;
}

bool changes(const engine::op& operation) {
    const auto* const resize_op = std::get_if<engine::resize_op>(&operation);
    return std::holds_alternative<engine::break_op>(operation) ||
           std::holds_alternative<engine::release_op>(operation) ||
           std::holds_alternative<engine::downgrade_op>(operation) ||
           (resize_op != nullptr && resize_op->limit != 0);
}

/// Whether the answer to a later attempt does not say what became of an earlier one: an error says
/// nothing of it, and a hold that is gone may have been broken or released by it.
bool says_nothing_of_earlier(const engine::answer& answer) {
    return answer.status == engine::op_status::failed ||
           answer.status == engine::op_status::not_held;
}

} // namespace

void report_task::start(base::instant now, base::duration at_most) {
    constexpr base::milliseconds first_answer{100}; // whatever the caller's time-out
    const auto wait = std::max<base::duration>(at_most, first_answer);
    give_up_ = base::later(now, std::min<base::duration>(core_.connect_wait(), wait));
    on_timer(now);
}

void report_task::on_timer(base::instant /*now*/) {
    if (cancelled_) { return; }
    core_.driver().send(
        *this, drive::purpose::report, [&]() -> const engine::op& { return op_; }, give_up_);
}

void report_task::on_answer(drive::purpose /*purpose*/, const engine::answer& answer,
                            base::instant /*sent*/, base::instant now) {
    if (cancelled_) { return; }
    const bool unknown = answer.status == engine::op_status::unknown;
    const bool unreached =
        answer.status == engine::op_status::failed && engine::worth_retrying(answer.error);
    const bool safe = (unknown && repeatable(op_)) || unreached;
    may_have_happened_ = may_have_happened_ || (unknown && changes(op_));
    const bool retry = safe && (!core_.single_attempt() || answer.retry_now);
    if (retry && now + retry_pause < give_up_) {
        core_.driver().wake_at(*this, now + retry_pause);
        return;
    }
    answer_ = answer;
    if (may_have_happened_ && says_nothing_of_earlier(answer)) {
        answer_.status = engine::op_status::unknown;
    }
    is_answered_ = true;
    core_.driver().ready(sleeper_);
}

void report_task::on_cancel(base::instant /*now*/) {
    if (is_answered_) { return; }
    cancelled_ = true;
    answer_ = {};
    answer_.status = engine::op_status::failed;
    answer_.error = make_error_code(errc::cancelled);
    core_.driver().wake_at(*this, base::never);
    core_.driver().ready(sleeper_);
}

} // namespace holdfast::core
