#include "holdfast/core/wait_task.hpp"

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"
#include "holdfast/core/set_request.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::core {

using base::instant;
using base::later;
using base::milliseconds;
using machine::wait_event;
using machine::waiter_machine;

wait_task::wait_task(client_core& core, const lock_request& request, base::owner_id owner,
                     const machine::wait_plan& plan, engine::queueing queue)
    : core_{core}, terms_{terms_of(request.options)}, machine_{plan} {
    op_.ticket.name = request.name;
    op_.ticket.owner = owner;
    op_.ticket.format = lock_format_of(request.options);
    op_.kind = request.kind;
    op_.mode = request.mode;
    op_.permits = request.permits;
    op_.limit = request.limit;
    op_.lease = terms_.lease;
    op_.min_hold = request.options.min_hold;
    op_.detached = request.options.detached;
    op_.queue = queue;
    op_.once = plan.once;
    op_.first = true;
    op_.voting = {request.options.quorum.node_timeout, request.options.quorum.retry_min,
                  request.options.quorum.retry_max};
    if (!request.options.note.empty()) { op_.note = request.options.note; }
    terms_.drift = plan.drift;
}

void wait_task::start(instant now) {
    started_ = now;
    feed({.event = wait_event::start}, now);
}

void wait_task::set_sleeper(drive::sleeper& sleeper) {
    sleeper_ = &sleeper;
    if (finished_) { sleeper.set(drive::sleeper::state::ready); }
}

void wait_task::on_timer(instant now) { feed({.event = wait_event::tick}, now); }
void wait_task::on_cancel(instant now) { feed({.event = wait_event::cancel}, now); }
void wait_task::on_hurry(instant now) { feed({.event = wait_event::hurry}, now); }

/// Called before the machine receives a grant. Once it has finished, `hold_` is the caller's, which
/// may move it at any moment. If it throws, the driver delivers the answer as
/// `unknown`, and the machine repeats the request.
void wait_task::ensure_hold() {
    if (!finished_ && !hold_) { hold_ = std::make_shared<hold>(core_, op_.mode); }
}

wait_event wait_task::to_event(const engine::answer& answer) {
    switch (answer.status) {
    case engine::op_status::granted: return wait_event::granted;
    case engine::op_status::queued: return wait_event::queued;
    case engine::op_status::busy: return wait_event::busy;
    case engine::op_status::failed:
        failure_ = answer.error;
        detail_ = answer.detail;
        return engine::worth_retrying(answer.error) ? wait_event::unavailable : wait_event::refused;
    default:
        failure_ = answer.error;
        detail_ = answer.detail;
        return wait_event::unknown;
    }
}

void wait_task::on_answer(drive::purpose purpose, const engine::answer& answer, instant sent,
                          instant now) {
    if (purpose == drive::purpose::withdraw) {
        const bool failed = answer.status == engine::op_status::failed ||
                            answer.status == engine::op_status::unknown;
        if (answer.status == engine::op_status::unknown) {
            core_.driver().metrics().on_reply_lost(drive::request_kind::withdrawal);
        }
        feed({.event = failed ? wait_event::withdraw_failed : wait_event::withdrawn}, now);
        return;
    }
    if (answer.status == engine::op_status::granted) { ensure_hold(); }
    // Queued requests receive notices, and those that may be queued.
    if (answer.status != engine::op_status::granted && answer.status != engine::op_status::busy) {
        core_.driver().listen(op_.ticket.owner.number, *this);
    }
    const auto event = to_event(answer);
    if (event == wait_event::unknown) {
        core_.driver().metrics().on_reply_lost(drive::request_kind::acquire);
    }
    feed({event, answer.token, sent, answer.ahead, answer.check_in, answer.retry_now,
          answer.no_place, answer.ticket_ended},
         now);
    count_wait(answer.status);
}

void wait_task::count_wait(engine::op_status status) noexcept {
    const bool held_by_others =
        status == engine::op_status::queued || status == engine::op_status::busy;
    if (!held_by_others || finished_ || std::exchange(waited_, true)) { return; }
    core_.driver().metrics().on_wait_begun();
}

void wait_task::on_beat(const engine::beat_answer& answer, instant sent, milliseconds /*lease*/,
                        instant now) {
    if (answer.status == engine::op_status::granted) { ensure_hold(); }
    auto event = wait_event::beat_unknown;
    if (answer.status == engine::op_status::queued) { event = wait_event::beat_queued; }
    if (answer.status == engine::op_status::granted) { event = wait_event::beat_granted; }
    if (answer.status == engine::op_status::lost) { event = wait_event::beat_lost; }
    if (event == wait_event::beat_unknown && answer.error) {
        failure_ = answer.error;
        detail_ = answer.detail;
    }
    if (answer.status == engine::op_status::unknown) {
        core_.driver().metrics().on_reply_lost(drive::request_kind::heartbeat);
    }
    feed({event, answer.token, sent, answer.ahead, answer.check_in}, now);
}

void wait_task::on_notice(const engine::notice& notice, instant now) {
    using kind = engine::notice::kind;
    switch (notice.type) {
    case kind::granted:
        ensure_hold();
        feed({.event = wait_event::push_granted, .token = notice.token}, now);
        break;
    case kind::maybe_free: feed({.event = wait_event::push_maybe_free}, now); break;
    case kind::inbox_reset:
        feed({.event = wait_event::push_reset}, now);
        if (is_unfinished()) { on_hurry(now); } // the engine has reconnected
        break;
    case kind::broken:
    case kind::doubtful: break; // concern holds only
    }
}

/// What an acquire may have left on the engine stays until it expires.
void wait_task::on_shutdown() {
    if (machine_.state() != machine::wait_state::withdrawing) { return; }
    report_withdraw_failed("its client was gone before the answer came");
}

void wait_task::report_withdraw_failed(std::string_view fallback) noexcept {
    core_.report_event([&] {
        return event{event::kind::withdraw_failed,
                     op_.ticket.name,
                     op_.ticket.owner.text(),
                     0,
                     failure_,
                     detail_.empty() ? std::string{fallback} : detail_};
    });
}

void wait_task::feed(const machine::wait_input& input, instant now) noexcept {
    apply(machine_.on(input, now), now);
}

void wait_task::apply(const waiter_machine::actions& actions, instant now) noexcept {
    auto& driver = core_.driver();
    if (actions.renew_owner) {
        const auto self = shared_from_this(); // it may be the driver's alone
        driver.unlisten(op_.ticket.owner.number);
        op_.ticket.owner = core_.new_owner();
        op_.first = true;
        driver.listen(op_.ticket.owner.number, *this);
    }
    if (actions.ask) {
        core_.unfinished().resend_all(op_.ticket.name, now);
        op_.not_after = actions.not_after;
        if (set_ == nullptr) {
            driver.send(
                *this, drive::purpose::acquire, [&]() -> const engine::op& { return operation_; },
                actions.not_after);
        } else if (!set_->add(op_)) {
            return feed({.event = wait_event::unavailable}, now); // it was asked before
        }
        op_.first = false;
    }
    if (actions.beat) {
        const auto give_up = later(now, core_.connect_wait());
        driver.beat(
            *this, milliseconds{0},
            [&] {
                return engine::beat_op::item{op_.ticket, true, {}};
            },
            std::min(give_up, now + milliseconds{900}));
    }
    if (actions.withdraw) {
        driver.listen(op_.ticket.owner.number, *this); // keeps it alive: the caller returns
        driver.send(
            *this, drive::purpose::withdraw, [&] { return engine::withdraw_op{op_.ticket}; },
            later(now, core_.background_wait()));
    }
    if (actions.report_withdraw_failed) { report_withdraw_failed({}); }
    driver.wake_at(*this, actions.wake);
    core_.unfinished().set(unfinished_entry_, is_unfinished());
    // Once granted, the number belongs to the hold: a late reply must not stop its notices.
    if (machine_.state() == machine::wait_state::done &&
        machine_.result() != waiter_machine::outcome::granted) {
        driver.unlisten(op_.ticket.owner.number);
    }
    if (actions.finish) { finish(now); }
}

void wait_task::finish(instant now) noexcept {
    finished_ = true;
    const auto& grant = machine_.granted();
    core_.driver().metrics().on_acquired(machine_.result(), waited_, grant.provisional,
                                         now - started_);
    if (machine_.result() == waiter_machine::outcome::granted) {
        hold_->begin(std::move(op_.ticket), grant.token, terms_,
                     {grant.sent, grant.granted_for, grant.provisional}, now);
    }
    if (sleeper_ != nullptr) { core_.driver().ready(*std::exchange(sleeper_, nullptr)); }
}

} // namespace holdfast::core
