#include "holdfast/machine/lease_machine.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using base::duration;
using base::instant;
using base::milliseconds;
using base::never;

namespace {

/// A hand-off is granted for a short time only, so its first renewal comes early. But many holds
/// end within milliseconds: a renewal that waits this long saves a third of all requests when many
/// callers contend.
constexpr milliseconds hand_off_pause{120};

/// The least pause between two tries.
constexpr milliseconds shortest_pause{5};

/// A renewal waits at least this long for its answer, however short the lease is.
constexpr milliseconds least_reply_wait{20};

} // namespace

void lease_machine::begin(const lease_terms& terms, const beginning& start) noexcept {
    terms_ = terms;
    deadline_ = valid_until(start.sent, start.granted_for, terms.margin, terms.drift);
    engine_until_ = start.sent + start.granted_for + drift(start.granted_for);
    if (terms.max_hold > milliseconds{0}) {
        max_hold_end_ = start.sent + terms.max_hold;
        deadline_ = std::min(deadline_, max_hold_end_);
        terms_.lease = std::min(terms_.lease, terms.max_hold);
        reaches_max_hold_ = !start.provisional && start.sent + start.granted_for >= max_hold_end_;
    }
    if (start.provisional) {
        handed_off_ = true;
    } else if (terms.renew && !reaches_max_hold_) {
        renew_at_ = start.sent + duration{terms_.lease} / 3;
    }
}

lease_machine::actions lease_machine::on(const lease_input& input, instant now) noexcept {
    switch (input.event) {
    case lease_event::tick: return tick(now);
    case lease_event::renewed:
    case lease_event::gone:
    case lease_event::renewal_unknown: return on_renewal_answer(input, now);
    case lease_event::taken:
        if (holding()) { return lose(loss::taken); }
        break;
    case lease_event::doubt:
        if (holding()) { return doubt(now); }
        break;
    case lease_event::abandon:
        if (holding()) { return lose(loss::thread_exited); }
        break;
    case lease_event::extend:
        if (holding()) { return extend(input.lease, now); }
        break;
    case lease_event::release:
        if (holding()) { return begin_release(input.when); }
        break;
    case lease_event::hurry:
        if (must_resend_release() || (state_ == lease_state::held && renewal_failing_)) {
            renew_at_ = now;
            return tick(now);
        }
        break;
    case lease_event::release_done:
    case lease_event::release_void:
    case lease_event::release_unknown:
    case lease_event::release_refused: return on_release_answer(input.event, now);
    }
    actions out;
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::tick(instant now) noexcept {
    if (state_ == lease_state::releasing) { return tick_releasing(now); }
    if (!holding()) { return {}; }
    if (now >= deadline_) { return lose(reason_at_deadline()); }
    actions out;
    if (std::exchange(handed_off_, false)) {
        // Without renewals this one starts the lease: send it at once, or the lease ends late.
        renew_at_ =
            terms_.renew ? now + std::min<duration>(hand_off_pause, (deadline_ - now) / 4) : now;
        engine_until_ =
            std::max(engine_until_, now + terms_.lease); // it was granted no later than now
    }
    if (now >= renew_at_ && state_ == lease_state::held) { send_renewal(out, now); }
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::begin_release(instant give_up) noexcept {
    state_ = lease_state::releasing;
    release_deadline_ = give_up == never ? engine_until_ : give_up;
    renew_at_ = never; // from now on: when to send the release again
    actions out;
    out.release = true;
    return out;
}

lease_machine::actions lease_machine::tick_releasing(instant now) noexcept {
    actions out;
    if (renew_at_ == never) { return out; } // a release is in flight
    if (now >= release_deadline_) {
        state_ = lease_state::ended;
        ending_ = lease_ending::unknown;
        return out;
    }
    if (now >= renew_at_) {
        renew_at_ = never;
        out.release = true;
    }
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::on_renewal_answer(const lease_input& input,
                                                        instant now) noexcept {
    actions out;
    if (in_flight_ > 0) { --in_flight_; }
    if (!holding()) {
        // Too late to count, but the engine has started a whole new lease: release it.
        out.release = input.event == lease_event::renewed && state_ == lease_state::lost;
        out.wake = next_wake();
        return out;
    }
    if (now >= deadline_) {
        out = lose(reason_at_deadline());
        out.release = input.event == lease_event::renewed;
        return out;
    }
    if (input.event == lease_event::gone) { return lose(loss::taken); }
    if (in_flight_ == 0) { state_ = lease_state::held; }
    if (input.event == lease_event::renewal_unknown) {
        out.report_trouble = !renewal_failing_;
        renewal_failing_ = true;
        renew_at_ = now + pause(deadline_ - now);
    } else {
        out.report_recovered = renewal_failing_;
        renewal_failing_ = false;
        const auto lease = counted_lease(input);
        const auto until =
            std::min(max_hold_end_, valid_until(input.when, lease, terms_.margin, terms_.drift));
        deadline_ = std::max(deadline_, until);
        reaches_max_hold_ = max_hold_end_ != never && input.when + lease >= max_hold_end_;
        renew_at_ =
            terms_.renew && !reaches_max_hold_ ? input.when + duration{terms_.lease} / 3 : never;
    }
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::on_release_answer(lease_event event, instant now) noexcept {
    actions out;
    if (state_ != lease_state::releasing) {
        out.wake = next_wake();
        return out;
    }
    if (event == lease_event::release_unknown && now < release_deadline_) {
        renew_at_ = now + pause(release_deadline_ - now);
        out.wake = next_wake();
        return out;
    }
    state_ = lease_state::ended;
    switch (event) {
    case lease_event::release_done: ending_ = lease_ending::released; break;
    case lease_event::release_void: ending_ = lease_ending::not_held; break;
    case lease_event::release_refused: ending_ = lease_ending::refused; break;
    default: ending_ = lease_ending::unknown; break;
    }
    return out;
}

lease_machine::actions lease_machine::lose(loss reason) noexcept {
    state_ = lease_state::lost;
    loss_reason_ = reason;
    actions out;
    out.report_lost = true;
    return out;
}

lease_machine::actions lease_machine::extend(milliseconds lease, instant now) noexcept {
    if (now >= deadline_) { return lose(reason_at_deadline()); }
    terms_.lease = lease;
    actions out;
    // Lowered when it is sent, not when it is answered: the engine may apply it at any moment.
    deadline_ = std::min(
        deadline_, std::max(now, valid_until(now, lease_at(now), terms_.margin, terms_.drift)));
    reaches_max_hold_ = reaches_max_hold_ && now + lease_at(now) >= max_hold_end_;
    send_renewal(out, now);
    out.wake = next_wake();
    return out;
}

/// Renews at once, to find out whether the lock is still held before the next renewal is due. A
/// hold without renewals is left alone.
lease_machine::actions lease_machine::doubt(instant now) noexcept {
    if (now >= deadline_) { return lose(reason_at_deadline()); }
    actions out;
    if (state_ == lease_state::held && terms_.renew && !reaches_max_hold_) {
        send_renewal(out, now);
    }
    out.wake = next_wake();
    return out;
}

void lease_machine::send_renewal(actions& out, instant now) noexcept {
    out.renew = true;
    out.renew_for = lease_at(now);
    // Half of the time left: if this connection is dead, the other half is for the next one.
    const auto reply_wait = std::max<duration>((deadline_ - now) / 2, least_reply_wait);
    out.renew_by = std::min(deadline_, now + reply_wait);
    engine_until_ = std::max(engine_until_, now + out.renew_for + drift(out.renew_for));
    shortest_sent_ = in_flight_ == 0 ? out.renew_for : std::min(shortest_sent_, out.renew_for);
    last_sent_ = now;
    ++in_flight_;
    state_ = lease_state::renewing;
}

/// The lease that an answered renewal counts for. While a newer renewal is in flight it is unknown
/// which of them the engine processed last, so an older, longer one counts only for the shortest
/// that was sent since.
milliseconds lease_machine::counted_lease(const lease_input& renewed) const noexcept {
    const auto lease = std::min(renewed.lease, terms_.lease);
    return renewed.when < last_sent_ ? std::min(lease, shortest_sent_) : lease;
}

milliseconds lease_machine::lease_at(instant now) const noexcept {
    if (max_hold_end_ == never) { return terms_.lease; }
    const auto left = std::chrono::ceil<milliseconds>(max_hold_end_ - now);
    return std::clamp(left, milliseconds{1}, terms_.lease);
}

instant lease_machine::next_wake() const noexcept {
    if (state_ == lease_state::held) { return std::min(renew_at_, deadline_); }
    if (state_ == lease_state::renewing) { return deadline_; }
    if (state_ == lease_state::releasing && renew_at_ != never) {
        return std::min(renew_at_, release_deadline_);
    }
    return never;
}

/// The pause before the next try: a tenth of the time left, so that several tries fit in.
duration lease_machine::pause(duration left) noexcept {
    return std::clamp<duration>(left / 10, shortest_pause, milliseconds{1000});
}

} // namespace holdfast::machine
