#include "holdfast/machine/waiter_machine.hpp"

#include "holdfast/engine/answers.hpp"
#include "holdfast/machine/lease_terms.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using base::duration;
using base::instant;
using base::later;
using base::milliseconds;
using base::never;

namespace {

// The first waiters send two heartbeats a second, the others one: a lost notice costs at most a
// second (P7).
constexpr unsigned front_waiters = 4;
constexpr milliseconds front_beat{500};
constexpr milliseconds usual_beat{950};
constexpr milliseconds soonest_beat{5};
constexpr milliseconds busy_pause{50};
// The least time that the first answer gets, even if the caller's time-out is shorter.
constexpr milliseconds least_first_wait{100};
// An engine that answered this recently counts as reachable.
constexpr milliseconds recent_contact{1000};

} // namespace

waiter_machine::actions waiter_machine::on(const wait_input& input, instant now) noexcept {
    switch (input.event) {
    case wait_event::start:
        if (state_ != wait_state::idle) { break; }
        started_ = now;
        return ask(now);
    case wait_event::tick: return tick(now);
    case wait_event::cancel:
        return waiting() ? give_up_wait(outcome::cancelled, now) : idle_until_wake();
    case wait_event::granted:
    case wait_event::queued:
    case wait_event::busy:
    case wait_event::unknown:
    case wait_event::unavailable:
    case wait_event::refused: return on_acquire_answer(input, now);
    case wait_event::push_granted: return on_push_granted(input, now);
    case wait_event::push_maybe_free: return waiting() ? ask_again(now) : idle_until_wake();
    case wait_event::push_reset:
        if (state_ == wait_state::queued) { return beat(now); }
        break;
    case wait_event::beat_queued:
    case wait_event::beat_granted:
    case wait_event::beat_lost:
    case wait_event::beat_unknown: return on_beat_answer(input, now);
    case wait_event::withdrawn:
    case wait_event::withdraw_failed: return on_withdraw_answer(input, now);
    case wait_event::hurry:
        if (must_resend_withdraw() && next_ != never) { return send_withdraw(now); }
        break;
    }
    return idle_until_wake();
}

waiter_machine::actions waiter_machine::ask(instant now) noexcept {
    if (state_ != wait_state::idle && now >= timeout_in(wait_state::asking)) {
        return time_out(now);
    }
    if (now >= unavailable_at()) { return give_up_wait(outcome::unavailable, now); }
    if (!unanswered_) { asked_at_ = now; }
    was_on_engine_ = may_be_on_engine_;
    asked_twice_ = asked_twice_ || was_on_engine_;
    state_ = wait_state::asking;
    may_be_on_engine_ = true;
    noticed_ = false;
    beat_is_old_ = beat_in_flight_;
    next_ = never;
    actions out;
    out.ask = true;
    // A duplicate that arrives after the caller has given up must not be granted.
    not_after_ = std::min(timeout_at(), later(now, plan_.connect_wait));
    if (unreachable_since_ != never) { not_after_ = std::min(not_after_, unavailable_at()); }
    out.not_after = not_after_;
    out.wake = idle_until_wake().wake;
    return out;
}

waiter_machine::actions waiter_machine::on_acquire_answer(const wait_input& input,
                                                          instant now) noexcept {
    if (state_ != wait_state::asking) { return stray_answer(input.event, now); }
    state_ = wait_state::pausing; // nothing is in flight any more
    switch (input.event) {
    case wait_event::granted: return on_grant(input.token, asked_at_, false, now);
    case wait_event::queued:
        unanswered_ = false;
        state_ = wait_state::queued;
        confirmed_at_ = asked_at_;
        note_contact(now);
        if (!plan_.may_wait) { return give_up_wait(outcome::busy, now); }
        if (tries_are_over()) { return give_up_wait(outcome::tried_enough, now); }
        return noticed_ ? ask(now) : schedule_beat(input, now);
    case wait_event::busy:
        may_be_on_engine_ = unanswered_; // an earlier acquire may still arrive
        unanswered_ = false;
        // After not_after an engine answers busy without checking the lock.
        if (now > not_after_ && !input.ticket_ended) { return on_no_answer(now, false); }
        note_contact(now);
        if (!plan_.may_wait) { return give_up_wait(outcome::busy, now); }
        if (now >= plan_.give_up) { return give_up_wait(outcome::timed_out, now); }
        if (tries_are_over()) { return give_up_wait(outcome::tried_enough, now); }
        if (input.ticket_ended) { return ask_as_another(now); }
        return noticed_ ? ask(now) : pause(now, busy_pause);
    case wait_event::refused:
        may_be_on_engine_ = was_on_engine_;
        return give_up_wait(outcome::refused, now);
    case wait_event::unavailable:
        may_be_on_engine_ = was_on_engine_;
        return on_no_answer(now, input.retry_now);
    default:
        unanswered_ = true;
        late_until_ = std::max(late_until_, not_after_);
        return on_no_answer(now, input.retry_now);
    }
}

/// While an acquire was sent once, a notice can only report a grant after the last request that was
/// answered "queued". After a second acquire it may report an earlier grant that has expired and
/// belongs to another owner by now, so it only means: ask again.
waiter_machine::actions waiter_machine::on_push_granted(const wait_input& input,
                                                        instant now) noexcept {
    if (state_ == wait_state::done && outcome_ != outcome::granted) { return send_withdraw(now); }
    if (!waiting()) { return idle_until_wake(); }
    if (asked_twice_) { return ask_again(now); }
    return on_grant(input.token, state_ == wait_state::queued ? confirmed_at_ : asked_at_, true,
                    now);
}

waiter_machine::actions waiter_machine::ask_again(instant now) noexcept {
    if (state_ != wait_state::asking) { return ask(now); }
    noticed_ = true; // one request at a time: the answer in flight may be older than the notice
    return idle_until_wake();
}

/// The grant counts from `since`. If too little time is left of it, the waiter asks again with the
/// same ticket, which the engine answers with a whole lease because the ticket holds the lock. Of a
/// hand-off a quarter must be left, or the new holder would lose it before the first renewal; and a
/// margin that is too long for a hand-off needs the whole lease.
waiter_machine::actions waiter_machine::on_grant(std::uint64_t token, instant since,
                                                 bool provisional, instant now) noexcept {
    const auto granted_for =
        provisional ? std::min<milliseconds>(engine::hand_off_lease, plan_.lease) : plan_.lease;
    const auto least = provisional ? granted_for / 4 : milliseconds{0};
    unanswered_ = false;
    const bool usable = leaves_enough(plan_.margin, granted_for) &&
                        now + least < valid_until(since, granted_for, plan_.margin, plan_.drift);
    if (usable) {
        grant_ = {token, since, granted_for, provisional};
        return finish(outcome::granted);
    }
    if (!provisional) { // an engine that is always this slow counts as unreachable
        if (unreachable_since_ == never) { unreachable_since_ = now; }
        if (now >= unavailable_at()) { return give_up_wait(outcome::unavailable, now); }
    }
    return ask_again(now);
}

/// The hold was broken, or rests, before this waiter learned that it had one: the engine grants
/// this owner nothing any more, and refuses what may still arrive of it. The wait goes on as a new
/// one.
waiter_machine::actions waiter_machine::ask_as_another(instant now) noexcept {
    may_be_on_engine_ = unanswered_ = asked_twice_ = false;
    late_until_ = instant::min();
    auto out = pause(now, busy_pause);
    out.renew_owner = true;
    return out;
}

waiter_machine::actions waiter_machine::on_no_answer(instant now, bool retry_now) noexcept {
    if (unreachable_since_ == never) { unreachable_since_ = asked_at_; }
    if (now >= unavailable_at()) { return give_up_wait(outcome::unavailable, now); }
    if (!plan_.once) { return pause(now, retry_pause); }
    // If only an open connection broke, the single attempt was not made yet.
    if (!retry_now || std::exchange(retried_, true)) {
        return give_up_wait(outcome::unavailable, now);
    }
    return ask(now);
}

void waiter_machine::note_contact(instant now) noexcept {
    unreachable_since_ = never;
    last_contact_ = now;
    retried_ = false;
}

waiter_machine::actions waiter_machine::pause(instant now, duration delay) noexcept {
    state_ = wait_state::pausing;
    next_ = later(now, delay);
    return idle_until_wake();
}

/// The caller's time-out also bounds an engine that does not answer. But the first answer gets at
/// least `least_first_wait`: with a time-out of 0 even a healthy engine would be too slow.
instant waiter_machine::timeout_in(wait_state state) const noexcept {
    if (!plan_.may_wait) { return never; }
    const bool awaits_first_answer = state == wait_state::asking && !last_contact_;
    return awaits_first_answer ? std::max(plan_.give_up, later(started_, least_first_wait))
                               : plan_.give_up;
}

/// When an engine that does not answer counts as unavailable.
instant waiter_machine::unavailable_at() const noexcept {
    return later(unreachable_since_, plan_.connect_wait);
}

/// The caller's time-out has passed. While the engine does not answer, that says nothing about the
/// lock: unavailable.
waiter_machine::actions waiter_machine::time_out(instant now) noexcept {
    const bool reachable = last_contact_ && (unreachable_since_ == never ||
                                             now < later(*last_contact_, recent_contact));
    return give_up_wait(reachable ? outcome::timed_out : outcome::unavailable, now);
}

waiter_machine::actions waiter_machine::tick(instant now) noexcept {
    if (waiting() && now >= timeout_at()) { return time_out(now); }
    if (waiting() && now >= unavailable_at()) { return give_up_wait(outcome::unavailable, now); }
    if (now >= next_) {
        switch (state_) {
        case wait_state::pausing: return ask(now);
        case wait_state::queued: return beat(now);
        case wait_state::withdrawing: return send_withdraw(now);
        default: break;
        }
    }
    return idle_until_wake();
}

waiter_machine::actions waiter_machine::beat(instant now) noexcept {
    next_ = later(now, usual_beat);
    auto out = idle_until_wake();
    out.beat = !beat_in_flight_;
    beat_in_flight_ = true;
    return out;
}

waiter_machine::actions waiter_machine::on_beat_answer(const wait_input& input,
                                                       instant now) noexcept {
    beat_in_flight_ = false;
    // It was sent before the last acquire and is outdated.
    const bool old = std::exchange(beat_is_old_, false);
    if (old || state_ != wait_state::queued) { return idle_until_wake(); }
    switch (input.event) {
    case wait_event::beat_queued:
        confirmed_at_ = input.sent;
        note_contact(now);
        return schedule_beat(input, now);
    case wait_event::beat_granted: return on_grant(input.token, confirmed_at_, true, now);
    case wait_event::beat_lost: note_contact(now); return ask(now);
    default: break;
    }
    if (unreachable_since_ == never) { unreachable_since_ = input.sent; }
    if (now >= unavailable_at()) { return give_up_wait(outcome::unavailable, now); }
    next_ = later(now, retry_pause);
    return idle_until_wake();
}

waiter_machine::actions waiter_machine::schedule_beat(const wait_input& input,
                                                      instant now) noexcept {
    next_ = later(now, input.ahead < front_waiters ? front_beat : usual_beat);
    if (input.no_place) {
        next_ = later(now, std::max<duration>(input.check_in, soonest_beat));
    } else if (input.check_in > duration::zero()) {
        next_ = std::min(next_, later(now, std::max<duration>(input.check_in, soonest_beat)));
    }
    return idle_until_wake();
}

waiter_machine::actions waiter_machine::finish(outcome result) noexcept {
    state_ = wait_state::done;
    outcome_ = result;
    actions out;
    out.finish = true;
    return out;
}

waiter_machine::actions waiter_machine::idle_until_wake() const noexcept {
    actions out;
    if (state_ == wait_state::withdrawing) {
        out.wake = next_;
    } else if (waiting()) {
        out.wake = std::min({next_, timeout_at(), unavailable_at()});
    }
    return out;
}

} // namespace holdfast::machine
