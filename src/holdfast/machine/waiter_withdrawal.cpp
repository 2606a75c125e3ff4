// The part of the waiter machine that gives up: it withdraws what an acquire may have left on the
// engine.

#include "holdfast/engine/answers.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <algorithm>

namespace holdfast::machine {

using base::instant;
using base::later;
using base::never;

waiter_machine::actions waiter_machine::give_up_wait(outcome why, instant now) noexcept {
    if (!may_be_on_engine_) { return finish(why); }
    outcome_ = why;
    auto out = send_withdraw(now);
    out.finish = true;
    return out;
}

/// The answer to an acquire that the machine has given up.
waiter_machine::actions waiter_machine::stray_answer(wait_event event, instant now) noexcept {
    if (event == wait_event::unknown) { late_until_ = std::max(late_until_, not_after_); }
    const bool may_be_on_engine =
        event == wait_event::granted || event == wait_event::queued || event == wait_event::unknown;
    if (may_be_on_engine && state_ == wait_state::withdrawing) {
        withdraw_again_ = true; // the engine may have processed the withdrawal first
    }
    if (may_be_on_engine && state_ == wait_state::done && outcome_ != outcome::granted) {
        return send_withdraw(now);
    }
    return idle_until_wake();
}

waiter_machine::actions waiter_machine::send_withdraw(instant now) noexcept {
    if (state_ != wait_state::withdrawing) {
        // By then the engine has dropped the waiter, and a hand-off to it has expired.
        withdraw_until_ = now + engine::waiter_timeout + engine::hand_off_lease;
        // An unanswered acquire may have been granted for a whole lease.
        if (state_ != wait_state::queued) {
            withdraw_until_ = std::max(withdraw_until_, later(not_after_, plan_.lease));
        }
        state_ = wait_state::withdrawing;
    }
    withdraw_again_ = withdraw_failed_ = false;
    next_ = never;
    actions out;
    out.withdraw = true;
    return out;
}

waiter_machine::actions waiter_machine::on_withdraw_answer(const wait_input& input,
                                                           instant now) noexcept {
    if (state_ != wait_state::withdrawing) { return idle_until_wake(); }
    actions out;
    if (input.event == wait_event::withdraw_failed && now < withdraw_until_) {
        withdraw_failed_ = true;
        next_ = later(now, retry_pause);
        out.wake = next_;
        return out;
    }
    if (input.event == wait_event::withdrawn && withdraw_again_) { return send_withdraw(now); }
    if (input.event == wait_event::withdrawn && now <= late_until_) {
        next_ = later(late_until_, retry_pause); // allows for the engine's clock
        out.wake = next_;
        return out;
    }
    state_ = wait_state::done;
    out.report_withdraw_failed = input.event == wait_event::withdraw_failed;
    return out;
}

} // namespace holdfast::machine
