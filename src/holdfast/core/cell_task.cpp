// compiled alone
#include "holdfast/core/cell_task.hpp"

#include "holdfast/core/client_core.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::core {

using base::instant;
using base::milliseconds;

namespace {

constexpr milliseconds poll_pause{1000};
constexpr milliseconds retry_pause{50};
/// After a request that arrived late, because the server's clock was estimated wrong.
constexpr milliseconds late_pause{2};
/// How long the first answer may take, whatever the caller's time-out.
constexpr milliseconds first_answer{100};

} // namespace

cell_task::cell_task(client_core& core, cell_request request, base::owner_id owner)
    : core_{core}, request_{std::move(request)} {
    request_.op.ticket.owner = owner;
}

bool cell_task::may_wait() const noexcept {
    return request_.wait.at_most > std::chrono::nanoseconds::zero();
}

bool cell_task::changes() const noexcept {
    return request_.op.action != engine::cell_op::action_kind::read;
}

void cell_task::start(instant now) {
    const bool limited = request_.wait.at_most < detail::wait_limit::unlimited().at_most;
    patience_ = core_.connect_wait();
    if (!may_wait()) {
        const auto attempt = core_.driver().caps(primitive::mutex, {}).attempt;
        patience_ = std::min<base::duration>(patience_, attempt);
    } else if (limited) {
        give_up_ = base::later(now, request_.wait.at_most);
    }
    request_.op.once = !may_wait() || core_.single_attempt();
    request_.op.watches = request_.is_done != nullptr && may_wait();
    answer_by_ = base::later(now, patience_);
    if (limited && may_wait()) {
        answer_by_ = std::min(answer_by_, std::max(give_up_, now + first_answer));
    }
    ask(now);
}

void cell_task::ask(instant now) noexcept {
    in_flight_ = true;
    notified_ = false;
    request_.op.not_after = answer_by_;
    if (request_.op.watches) { core_.driver().listen(request_.op.ticket.owner.number, *this); }
    core_.driver().send(
        *this, drive::purpose::report, [&] { return engine::op{request_.op}; },
        std::max(answer_by_, now + late_pause));
    arm();
}

void cell_task::arm() noexcept {
    auto when = in_flight_ ? base::never : next_ask_;
    if (result_.cell != nullptr) { when = std::min(when, give_up_); }
    core_.driver().wake_at(*this, finished_ ? base::never : when);
}

void cell_task::on_timer(instant now) {
    if (finished_) { return; }
    if (result_.cell != nullptr && now >= give_up_) { return finish(); }
    if (!in_flight_ && now >= next_ask_) {
        // A new question, not a repeated one: it may take as long as the first.
        if (!result_.failure) { answer_by_ = base::later(now, patience_); }
        return ask(now);
    }
    arm();
}

void cell_task::on_answer(drive::purpose /*purpose*/, const engine::answer& answer,
                          instant /*sent*/, instant now) {
    if (finished_) { return; }
    if (answer.status == engine::op_status::reported && answer.cell != nullptr) {
        in_flight_ = false;
        result_.cell = answer.cell;
        result_.failure.clear();
        result_.detail.clear();
        may_have_happened_ = false; // the answer tells of earlier attempts, too
        return on_reported(now);
    }
    on_failed(answer, now);
}

void cell_task::on_reported(instant now) noexcept {
    result_.done = request_.is_done == nullptr || request_.is_done(*result_.cell);
    if (result_.done || !may_wait() || now >= give_up_) { return finish(); }
    request_.op.action = engine::cell_op::action_kind::read; // what it asked for is done
    next_ask_ = notified_ ? now : now + poll_pause;
    arm();
}

void cell_task::on_failed(const engine::answer& answer, instant now) {
    const bool late = answer.status == engine::op_status::busy;
    const bool unknown = answer.status == engine::op_status::unknown;
    const bool retries = late || unknown || engine::worth_retrying(answer.error);
    const bool again = retries && (!request_.op.once || answer.retry_now || late) &&
                       now + retry_pause < answer_by_;
    if (!late) { result_.detail = answer.detail; } // may throw, before anything has changed
    in_flight_ = false;
    may_have_happened_ = may_have_happened_ || (unknown && changes());
    result_.failure = make_error_code(errc::unavailable);
    if (!retries || answer.error == errc::no_quorum) { result_.failure = answer.error; }
    if (!again) {
        // Also after another error: it says nothing of the attempt before.
        if (may_have_happened_) { result_.failure = make_error_code(errc::unknown_outcome); }
        return finish();
    }
    next_ask_ = now + (late ? late_pause : retry_pause);
    arm();
}

void cell_task::on_notice(const engine::notice& /*notice*/, instant now) {
    if (finished_) { return; }
    if (in_flight_) {
        notified_ = true;
        return;
    }
    if (result_.failure) { return; } // it asks again after its pause
    answer_by_ = base::later(now, patience_);
    ask(now);
}

void cell_task::on_cancel(instant /*now*/) {
    if (finished_) { return; }
    const bool sent = in_flight_ && !core_.driver().recall(*this, drive::purpose::report);
    const bool in_doubt = may_have_happened_ || (sent && changes());
    result_.failure = make_error_code(in_doubt ? errc::unknown_outcome : errc::cancelled);
    result_.detail.clear(); // why the engine did not answer
    finish();
}

void cell_task::finish() noexcept {
    finished_ = true;
    arm();
    core_.driver().unlisten(request_.op.ticket.owner.number);
    core_.driver().ready(sleeper_);
}

} // namespace holdfast::core
