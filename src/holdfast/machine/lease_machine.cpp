#include "holdfast/machine/lease_machine.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::machine {

using base::duration;
using base::instant;
using base::milliseconds;
using base::never;

namespace {

/// Until its first renewal a hand-off counts only for a short time, so it is renewed early. But
/// many holds end within milliseconds and need no renewal: waiting this long saves a third of all
/// requests in a crowd.
constexpr milliseconds hand_off_pause{120};

/// The least pause between two tries.
constexpr milliseconds shortest_pause{5};

/// A renewal waits at least this long for its answer, however short the lease is.
constexpr milliseconds least_patience{20};

} // namespace

lease_machine::lease_machine(const lease_terms& terms, const beginning& start) noexcept
    : terms_{terms},
      deadline_{valid_until(start.sent, start.granted_for, terms.margin)},
      engine_until_{start.sent + start.granted_for + drift(start.granted_for)} {
    if (terms.max_hold > milliseconds{0}) {
        end_ = start.sent + terms.max_hold;
        deadline_ = std::min(deadline_, end_);
        terms_.lease = std::min(terms_.lease, terms.max_hold);
        reaches_end_ = !start.provisional && start.sent + start.granted_for >= end_;
    }
    if (start.provisional) {
        handed_ = true;
    } else if (terms.renew && !reaches_end_) {
        renew_at_ = start.sent + duration{terms_.lease} / 3;
    }
}

lease_machine::actions lease_machine::on(const lease_input& input, instant now) noexcept {
    switch (input.event) {
    case lease_event::tick: return tick(now);
    case lease_event::renewed:
    case lease_event::gone:
    case lease_event::renewal_unknown: return renewal(input, now);
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
        if (owes_release() || (state_ == lease_state::held && troubled_)) {
            renew_at_ = now;
            return tick(now);
        }
        break;
    case lease_event::release_done:
    case lease_event::release_void:
    case lease_event::release_unknown:
    case lease_event::release_refused: return answered_release(input.event, now);
    }
    actions out;
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::tick(instant now) noexcept {
    if (state_ == lease_state::releasing) { return tick_releasing(now); }
    if (!holding()) { return {}; }
    if (now >= deadline_) { return lose(reaches_end_ ? loss::max_hold : loss::expired); }
    actions out;
    if (std::exchange(handed_, false)) {
        // Without renewals this one starts the whole lease: send it at once, or that ends late.
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
    give_up_release_ = give_up == never ? engine_until_ : give_up;
    renew_at_ = never; // from now on: when to send the release again
    actions out;
    out.release = true;
    return out;
}

lease_machine::actions lease_machine::tick_releasing(instant now) noexcept {
    actions out;
    if (renew_at_ == never) { return out; } // a release is in flight
    if (now >= give_up_release_) {
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

lease_machine::actions lease_machine::renewal(const lease_input& input, instant now) noexcept {
    actions out;
    if (in_flight_ > 0) { --in_flight_; }
    if (!holding()) {
        // Too late to count, but the engine has just started a whole new lease.
        out.release = input.event == lease_event::renewed && state_ == lease_state::lost;
        out.wake = next_wake();
        return out;
    }
    if (now >= deadline_) {
        out = lose(reaches_end_ ? loss::max_hold : loss::expired);
        out.release = input.event == lease_event::renewed;
        return out;
    }
    if (input.event == lease_event::gone) { return lose(loss::taken); }
    if (in_flight_ == 0) { state_ = lease_state::held; }
    if (input.event == lease_event::renewal_unknown) {
        out.tell_trouble = !troubled_;
        troubled_ = true;
        renew_at_ = now + pause(deadline_ - now);
    } else {
        out.tell_recovered = troubled_;
        troubled_ = false;
        const auto lease = counted(input);
        const auto until = std::min(end_, valid_until(input.when, lease, terms_.margin));
        deadline_ = std::max(deadline_, until);
        reaches_end_ = end_ != never && input.when + lease >= end_;
        renew_at_ = terms_.renew && !reaches_end_ ? input.when + duration{terms_.lease} / 3 : never;
    }
    out.wake = next_wake();
    return out;
}

lease_machine::actions lease_machine::answered_release(lease_event event, instant now) noexcept {
    actions out;
    if (state_ != lease_state::releasing) {
        out.wake = next_wake();
        return out;
    }
    if (event == lease_event::release_unknown && now < give_up_release_) {
        renew_at_ = now + pause(give_up_release_ - now);
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

lease_machine::actions lease_machine::lose(loss why) noexcept {
    state_ = lease_state::lost;
    why_ = why;
    actions out;
    out.tell_lost = true;
    return out;
}

lease_machine::actions lease_machine::extend(milliseconds lease, instant now) noexcept {
    if (now >= deadline_) { return lose(reaches_end_ ? loss::max_hold : loss::expired); }
    terms_.lease = lease;
    actions out;
    // Lowered when it is sent, not when it is answered: the engine may apply it at any moment.
    deadline_ = std::min(deadline_, std::max(now, valid_until(now, lease_at(now), terms_.margin)));
    reaches_end_ = reaches_end_ && now + lease_at(now) >= end_;
    send_renewal(out, now);
    out.wake = next_wake();
    return out;
}

/// Renews at once, to find out whether the lock is still held before the next renewal is due. A
/// hold without renewals is left alone.
lease_machine::actions lease_machine::doubt(instant now) noexcept {
    if (now >= deadline_) { return lose(reaches_end_ ? loss::max_hold : loss::expired); }
    actions out;
    if (state_ == lease_state::held && terms_.renew && !reaches_end_) { send_renewal(out, now); }
    out.wake = next_wake();
    return out;
}

void lease_machine::send_renewal(actions& out, instant now) noexcept {
    out.renew = true;
    out.renew_for = lease_at(now);
    // Half of the time left: if this connection is dead, the other half is for the next one.
    const auto patience = std::max<duration>((deadline_ - now) / 2, least_patience);
    out.renew_by = std::min(deadline_, now + patience);
    engine_until_ = std::max(engine_until_, now + out.renew_for + drift(out.renew_for));
    least_sent_ = in_flight_ == 0 ? out.renew_for : std::min(least_sent_, out.renew_for);
    last_sent_ = now;
    ++in_flight_;
    state_ = lease_state::renewing;
}

/// The lease that an answered renewal counts for. While a newer renewal is in flight it is unknown
/// which of them the engine processed last, so an older, longer one counts only for the shortest
/// that was sent since.
milliseconds lease_machine::counted(const lease_input& renewed) const noexcept {
    const auto lease = std::min(renewed.lease, terms_.lease);
    return renewed.when < last_sent_ ? std::min(lease, least_sent_) : lease;
}

milliseconds lease_machine::lease_at(instant now) const noexcept {
    if (end_ == never) { return terms_.lease; }
    const auto left = std::chrono::ceil<milliseconds>(end_ - now);
    return std::clamp(left, milliseconds{1}, terms_.lease);
}

instant lease_machine::next_wake() const noexcept {
    if (state_ == lease_state::held) { return std::min(renew_at_, deadline_); }
    if (state_ == lease_state::renewing) { return deadline_; }
    if (state_ == lease_state::releasing && renew_at_ != never) {
        return std::min(renew_at_, give_up_release_);
    }
    return never;
}

/// The pause before the next try: a tenth of the time left, so that several tries fit in.
duration lease_machine::pause(duration left) noexcept {
    return std::clamp<duration>(left / 10, shortest_pause, milliseconds{1000});
}

} // namespace holdfast::machine
