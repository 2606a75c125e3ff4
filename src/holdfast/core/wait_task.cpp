#include "holdfast/core/wait_task.hpp"

#include "holdfast/core/client_core.hpp"
#include "holdfast/core/hold.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::core {

using base::instant;
using base::later;
using base::milliseconds;
using machine::wait_event;
using machine::waiter_machine;

wait_task::wait_task(client_core& core, const request& what, base::owner_id owner,
                     const machine::wait_plan& plan, engine::queueing queue)
    : core_{core}, terms_{terms_of(what.options)}, machine_{plan} {
    op_.who = {what.name, owner, writing_of(what.options)};
    op_.kind = what.kind;
    op_.how = what.how;
    op_.permits = what.permits;
    op_.limit = what.limit;
    op_.lease = terms_.lease;
    op_.min_hold = what.options.min_hold;
    op_.detached = what.options.detached;
    op_.queue = queue;
    op_.once = plan.once;
    op_.note = what.options.note;
}

void wait_task::start(instant now) { feed({.what = wait_event::start}, now); }

void wait_task::sleeps(drive::sleeper& who) {
    sleeper_ = &who;
    if (finished_) { who.set(drive::sleeper::state::ready); }
}

void wait_task::on_timer(instant now) { feed({.what = wait_event::tick}, now); }
void wait_task::on_cancel(instant now) { feed({.what = wait_event::cancel}, now); }
void wait_task::on_hurry(instant now) { feed({.what = wait_event::hurry}, now); }

/// Before the machine hears of a grant: if there is no memory, the grant counts as not heard of,
/// and is asked for again.
void wait_task::need_hold() {
    if (!hold_ && !finished_) { hold_ = std::make_shared<hold>(core_, op_.how); }
}

wait_event wait_task::asked(const engine::answer& what) {
    switch (what.what) {
    case engine::fate::granted: return wait_event::granted;
    case engine::fate::queued: return wait_event::queued;
    case engine::fate::busy: return wait_event::busy;
    case engine::fate::failed:
        failure_ = what.error;
        detail_ = what.detail;
        return what.error == errc::unavailable ? wait_event::unavailable : wait_event::refused;
    default:
        failure_ = what.error;
        detail_ = what.detail;
        return wait_event::unknown;
    }
}

void wait_task::on_answer(drive::purpose of, const engine::answer& what, instant sent,
                          instant now) {
    if (of == drive::purpose::withdraw) {
        const bool failed = what.what == engine::fate::failed || what.what == engine::fate::unknown;
        feed({.what = failed ? wait_event::withdraw_failed : wait_event::withdrawn}, now);
        return;
    }
    if (what.what == engine::fate::granted) { need_hold(); }
    // Pushes are for those who wait, or may do so without knowing it.
    if (what.what != engine::fate::granted && what.what != engine::fate::busy) {
        core_.drive().listen(op_.who.owner.number, *this);
    }
    feed({asked(what), what.token, sent, what.ahead, what.check_in, what.retry_now}, now);
}

void wait_task::on_beat(const engine::beat_answer& what, instant sent, milliseconds /*lease*/,
                        instant now) {
    if (what.what == engine::fate::granted) { need_hold(); }
    auto event = wait_event::beat_unknown;
    if (what.what == engine::fate::queued) { event = wait_event::beat_queued; }
    if (what.what == engine::fate::granted) { event = wait_event::beat_granted; }
    if (what.what == engine::fate::lost) { event = wait_event::beat_lost; }
    if (event == wait_event::beat_unknown && what.error) {
        failure_ = what.error;
        detail_ = what.detail;
    }
    feed({event, what.token, sent, what.ahead, what.check_in}, now);
}

void wait_task::on_notice(const engine::notice& what, instant now) {
    using kind = engine::notice::kind;
    switch (what.what) {
    case kind::granted:
        need_hold();
        feed({.what = wait_event::push_granted, .token = what.token}, now);
        break;
    case kind::maybe_free: feed({.what = wait_event::push_maybe_free}, now); break;
    case kind::inbox_reset:
        feed({.what = wait_event::push_reset}, now);
        if (is_unfinished()) { on_hurry(now); } // there is a connection again
        break;
    case kind::broken: break; // concerns holds only
    }
}

void wait_task::feed(const machine::wait_input& input, instant now) noexcept {
    apply(machine_.on(input, now), now);
}

void wait_task::apply(const waiter_machine::actions& todo, instant now) noexcept {
    auto& drive = core_.drive();
    if (todo.ask) {
        core_.unfinished().send_all(op_.who.name, now);
        op_.not_after = todo.not_after;
        drive.send(
            *this, drive::purpose::ask, [&] { return engine::op{op_}; }, todo.not_after);
    }
    if (todo.beat) {
        const auto give_up = later(now, core_.connect_wait());
        drive.beat(
            *this, milliseconds{0},
            [&] {
                return engine::beat_op::item{op_.who, true, {}};
            },
            std::min(give_up, now + milliseconds{900}));
    }
    if (todo.withdraw) {
        drive.listen(op_.who.owner.number, *this); // the caller goes its way
        drive.send(
            *this, drive::purpose::withdraw, [&] { return engine::withdraw_op{op_.who}; },
            later(now, core_.background_wait()));
    }
    if (todo.tell_withdraw_failed) {
        core_.tell([&] {
            return event{event::kind::withdraw_failed,
                         op_.who.name,
                         op_.who.owner.text(),
                         0,
                         failure_,
                         detail_};
        });
    }
    drive.wake_at(*this, todo.wake);
    core_.unfinished().set(unwithdrawn_, is_unfinished());
    // Once it is granted the number is the hold's: a late answer to the waiter must not deafen it.
    if (machine_.now_in() == waiter_machine::state::done &&
        machine_.result() != waiter_machine::outcome::granted) {
        drive.unlisten(op_.who.owner.number);
    }
    if (todo.finish) { finish(now); }
}

void wait_task::finish(instant now) noexcept {
    finished_ = true;
    if (machine_.result() == waiter_machine::outcome::granted) {
        const auto& grant = machine_.granted();
        hold_->begin(std::move(op_.who), grant.token, terms_,
                     {grant.sent, grant.granted_for, grant.provisional}, now);
    }
    if (sleeper_ != nullptr) { core_.drive().ready(*std::exchange(sleeper_, nullptr)); }
}

} // namespace holdfast::core
