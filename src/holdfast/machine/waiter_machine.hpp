#pragma once
// The state machine of a waiter, from its first acquire to a grant or to its withdrawal; it has no
// clock, no thread and no I/O.

#include "holdfast/base/clock.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::machine {

/// The events of a wait.
enum class wait_event : std::uint8_t {
    start,
    tick,            ///< time has passed: `actions::wake`, or any other instant
    cancel,          ///< the caller's stop_token was triggered
    granted,         ///< acquire's answer, with `token`
    queued,          ///< acquire's answer, with `ahead` and `check_in`
    busy,            ///< acquire's answer
    unknown,         ///< acquire's answer was lost
    unavailable,     ///< acquire certainly did not happen; worth another try
    refused,         ///< acquire certainly did not happen, nor will it
    push_granted,    ///< a notice, with `token`
    push_maybe_free, ///< a notice: ask again
    push_reset,      ///< a notice: others may have been missed
    beat_queued,     ///< beat's answer, with `sent`, `ahead` and `check_in`
    beat_granted,    ///< beat's answer, with `token`
    beat_lost,       ///< beat's answer: not in the queue any more
    beat_unknown,    ///< a beat failed or its answer was lost
    withdrawn,       ///< withdraw's answer
    withdraw_failed, ///< a withdraw failed or its answer was lost
    hurry,           ///< send at once the withdrawal that waits for its next try
};

struct wait_input {
    wait_event event{};
    std::uint64_t token = 0;
    base::instant sent{}; ///< when the answered request was sent
    unsigned ahead = 0;
    base::duration check_in{0};
    bool retry_now = false;    ///< with unknown, unavailable: see engine::answer
    bool no_place = false;     ///< with queued: likewise
    bool ticket_ended = false; ///< with busy: likewise
};

/// How the caller wants to wait.
struct wait_plan {
    bool may_wait = false;                 ///< while others hold the lock; false: a try
    bool once = false;                     ///< one attempt to reach the engine, not several
    bool queue_grants = true;              ///< the engine hands off; false: poll
    base::instant give_up = base::never;   ///< the caller's time-out
    base::milliseconds connect_wait{5000}; ///< time-out of an engine that does not answer
    base::milliseconds lease{30'000};
    base::milliseconds margin{0};
    std::optional<base::milliseconds> drift{}; ///< see lease_terms
    unsigned tries = 0;                        ///< refusals after which it gives up; 0: no limit
};

enum class wait_state : std::uint8_t { idle, asking, queued, pausing, withdrawing, done };

/// State table; an event that is not listed is ignored.
///
///  idle         start: asking
///  asking       granted, push_granted: done | queued: queued | busy: done, or pausing
///               unknown, unavailable: pausing, or, with one attempt, withdrawing or done
///               refused: done | push_maybe_free: remembered
///               busy, because its ticket has ended: pausing, then asking as another owner
///  queued       push_granted, beat_granted: done | beat_lost, push_maybe_free: asking
///               tick, push_reset: beat | beat_unknown: beat again soon
///  pausing      tick, push_maybe_free: asking | push_granted: done
///  any of these tick at give_up, cancel, no answer for connect_wait, the last of the plan's tries:
///               withdrawing, or done if the engine certainly has no entry of it
///               a grant that has nearly expired: asking
///  withdrawing  withdrawn: done, or again once no lost acquire can arrive any more
///               withdraw_failed: again, until the queue has dropped it anyway | hurry: again
///  done         not granted, and an acquire's answer or a notice shows that the engine may have an
///               entry of it: withdrawing
///
/// After an acquire was sent twice, push_granted only means: ask again (see on_push_granted).
/// The caller returns (`finish`) when withdrawing begins, not when it ends.
class waiter_machine {
public:
    enum class outcome : std::uint8_t {
        none,
        granted,
        busy, ///< one try, and someone else holds the lock
        timed_out,
        tried_enough, ///< refused as often as the plan allows
        cancelled,
        unavailable, ///< the engine did not answer, or could not be reached
        refused,
    };

    struct actions {
        bool ask = false;
        base::instant not_after = base::never; ///< with ask
        bool beat = false;
        bool withdraw = false;
        bool renew_owner = false; ///< the next acquire is another owner's: this one's ticket ended
        bool finish = false;      ///< wake the caller; result() is final
        bool report_withdraw_failed = false;
        base::instant wake = base::never;
    };

    /// What the lease machine begins with.
    struct grant {
        std::uint64_t token = 0;
        base::instant sent{};
        base::milliseconds granted_for{0};
        bool provisional = false;
    };

    explicit waiter_machine(const wait_plan& plan) noexcept : plan_{plan} {}

    actions on(const wait_input& input, base::instant now) noexcept;

    [[nodiscard]] wait_state state() const noexcept { return state_; }
    [[nodiscard]] outcome result() const noexcept { return outcome_; }
    [[nodiscard]] const grant& granted() const noexcept { return grant_; }
    /// Whether an acquire was sent that may have had an effect.
    [[nodiscard]] bool outcome_unknown() const noexcept { return may_be_on_engine_; }
    /// A withdrawal failed and has to be sent again.
    [[nodiscard]] bool must_resend_withdraw() const noexcept {
        return state_ == wait_state::withdrawing && withdraw_failed_;
    }

private:
    actions ask(base::instant now) noexcept;
    actions time_out(base::instant now) noexcept;
    actions pause(base::instant now, base::duration delay) noexcept;
    actions tick(base::instant now) noexcept;
    actions beat(base::instant now) noexcept;
    actions on_acquire_answer(const wait_input& input, base::instant now) noexcept;
    actions stray_answer(wait_event event, base::instant now) noexcept;
    actions on_push_granted(const wait_input& input, base::instant now) noexcept;
    actions ask_again(base::instant now) noexcept;
    void note_contact(base::instant now) noexcept;
    actions on_beat_answer(const wait_input& input, base::instant now) noexcept;
    actions schedule_beat(const wait_input& input, base::instant now) noexcept;
    actions on_grant(std::uint64_t token, base::instant since, bool provisional,
                     base::instant now) noexcept;
    actions on_no_answer(base::instant now, bool retry_now) noexcept;
    actions give_up_wait(outcome why, base::instant now) noexcept;
    actions finish(outcome result) noexcept;
    actions ask_as_another(base::instant now) noexcept;
    actions on_withdraw_answer(const wait_input& input, base::instant now) noexcept;
    actions send_withdraw(base::instant now) noexcept;
    actions idle_until_wake() const noexcept;
    [[nodiscard]] base::instant timeout_in(wait_state state) const noexcept;
    [[nodiscard]] base::instant timeout_at() const noexcept { return timeout_in(state_); }
    [[nodiscard]] base::instant unavailable_at() const noexcept;
    /// Counts a refusal.
    [[nodiscard]] bool tries_are_over() noexcept {
        return plan_.tries > 0 && ++refusals_ >= plan_.tries;
    }
    [[nodiscard]] bool waiting() const noexcept {
        return state_ == wait_state::asking || state_ == wait_state::queued ||
               state_ == wait_state::pausing;
    }

    static constexpr base::milliseconds retry_pause{100};

    wait_plan plan_;
    grant grant_;
    base::instant started_{};
    base::instant asked_at_{};     ///< first acquire since the engine's last definite answer
    base::instant confirmed_at_{}; ///< when the last request was sent that was answered "queued"
    base::instant next_ = base::never; ///< pausing: ask; queued: beat; withdrawing: again
    base::instant unreachable_since_ = base::never;
    std::optional<base::instant> last_contact_; ///< the engine's last definite answer
    base::instant withdraw_until_ = base::never;
    base::instant not_after_ = base::never; ///< of the last acquire
    /// Until then an acquire whose answer was lost may arrive, even after its withdrawal.
    base::instant late_until_ = base::instant::min();
    unsigned refusals_ = 0;
    wait_state state_ = wait_state::idle;
    outcome outcome_ = outcome::none;
    bool may_be_on_engine_ = false; ///< the engine may have a queue entry or a hold of it
    bool was_on_engine_ = false;    ///< may_be_on_engine_ before the last acquire
    bool unanswered_ = false;       ///< no acquire since asked_at_ was answered
    bool asked_twice_ = false;      ///< sent twice: an earlier acquire may have had an effect
    bool noticed_ = false;          ///< asking: a notice arrived before the answer
    bool beat_in_flight_ = false;
    bool beat_is_old_ = false; ///< the one in flight was sent before the last acquire
    bool withdraw_again_ = false;
    bool withdraw_failed_ = false; ///< the last one; next_ is when it is sent again
    bool retried_ = false;         ///< the single attempt was repeated at once
};

} // namespace holdfast::machine
