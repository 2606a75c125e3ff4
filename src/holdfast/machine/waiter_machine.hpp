#pragma once
// What a waiter does, from asking to a grant or to leaving the queue: a pure machine, with no
// clock, no thread and no I/O of its own.

#include "holdfast/base/clock.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::machine {

/// What happened to a wait.
enum class wait_event : std::uint8_t {
    start,
    tick,            ///< the instant that was asked for as `wake`, or any other
    cancel,          ///< the caller's stop_token
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
    beat_unknown,    ///< beat without a good answer
    withdrawn,       ///< withdraw's answer
    withdraw_failed, ///< withdraw without a good answer
    hurry,           ///< a withdrawal that is to be sent again is sent now
};

struct wait_input {
    wait_event event{};
    std::uint64_t token = 0;
    base::instant sent{}; ///< of the request that is answered
    unsigned ahead = 0;
    base::duration check_in{0};
    bool retry_now = false; ///< with unknown, unavailable: see engine::answer
};

/// How the caller wants to wait.
struct wait_plan {
    bool may_wait = false;                 ///< for other holders; false: one try
    bool once = false;                     ///< one attempt to reach the engine, not several
    bool queue_grants = true;              ///< the engine hands off; false: ask again now and then
    base::instant give_up = base::never;   ///< the end of the caller's patience
    base::milliseconds connect_wait{5000}; ///< of the patience with an engine that does not answer
    base::milliseconds lease{30'000};
    base::milliseconds margin{0};
};

/// State table; what is not named is ignored.
///
///  idle         start: asking
///  asking       granted, push_granted: done | queued: queued | busy: done, or pausing
///               unknown, unavailable: pausing, or, with one attempt, withdrawing or done
///               refused: done | push_maybe_free: remembered
///  queued       push_granted, beat_granted: done | beat_lost, push_maybe_free: asking
///               tick, push_reset: beat | beat_unknown: beat again soon
///  pausing      tick, push_maybe_free: asking | push_granted: done
///  any of these tick at give_up, cancel, no answer for connect_wait: withdrawing, or done if
///               surely nothing is there | a grant too old to be of use: asking
///  withdrawing  withdrawn: done, or again when no lost acquire can arrive any more
///               withdraw_failed: again, until the queue has dropped it anyway | hurry: again
///  done         not granted, and an acquire's answer or a notice says that something may be there:
///               withdrawing
///
/// Once an acquire had to be sent again, push_granted only means: ask (see waiter_machine::push).
/// The caller is set free (`finish`) when withdrawing begins, not when it ends.
class waiter_machine {
public:
    enum class state : std::uint8_t { idle, asking, queued, pausing, withdrawing, done };
    enum class outcome : std::uint8_t {
        none,
        granted,
        busy, ///< one try, and somebody else has it
        timed_out,
        cancelled,
        unavailable, ///< the engine could not be reached; with a lost answer: unknown
        refused,
    };

    struct actions {
        bool ask = false;
        base::instant not_after = base::never; ///< with ask
        bool beat = false;
        bool withdraw = false;
        bool finish = false; ///< tell the caller; result() is final
        bool tell_withdraw_failed = false;
        base::instant wake = base::never;
    };

    /// A grant: what the lease machine begins with.
    struct grant {
        std::uint64_t token = 0;
        base::instant sent{};
        base::milliseconds granted_for{0};
        bool provisional = false;
    };

    explicit waiter_machine(const wait_plan& plan) noexcept : plan_{plan} {}

    actions on(const wait_input& input, base::instant now) noexcept;

    [[nodiscard]] state now_in() const noexcept { return state_; }
    [[nodiscard]] outcome result() const noexcept { return outcome_; }
    [[nodiscard]] const grant& granted() const noexcept { return grant_; }
    /// Whether an acquire was sent whose effect is not known to be nothing.
    [[nodiscard]] bool outcome_unknown() const noexcept { return maybe_there_; }
    /// A withdrawal had no good answer and is to be sent again.
    [[nodiscard]] bool owes_withdrawal() const noexcept {
        return state_ == state::withdrawing && withdraw_failed_;
    }

private:
    actions ask(base::instant now) noexcept;
    actions run_out(base::instant now) noexcept;
    actions pause(base::instant now, base::duration how_long) noexcept;
    actions tick(base::instant now) noexcept;
    actions beat(base::instant now) noexcept;
    actions answered(const wait_input& input, base::instant now) noexcept;
    actions stray_answer(wait_event event, base::instant now) noexcept;
    actions push(const wait_input& input, base::instant now) noexcept;
    actions look_again(base::instant now) noexcept;
    void hear(base::instant now) noexcept;
    actions beaten(const wait_input& input, base::instant now) noexcept;
    actions in_queue(const wait_input& input, base::instant now) noexcept;
    actions have(std::uint64_t token, base::instant since, bool provisional,
                 base::instant now) noexcept;
    actions no_answer(base::instant now, bool retry_now) noexcept;
    actions leave(outcome why, base::instant now) noexcept;
    actions finish(outcome result) noexcept;
    actions withdrawing(const wait_input& input, base::instant now) noexcept;
    actions send_withdraw(base::instant now) noexcept;
    actions idle_until_wake() const noexcept;
    [[nodiscard]] base::instant patience_with(state in) const noexcept;
    [[nodiscard]] base::instant patience_ends() const noexcept { return patience_with(state_); }
    [[nodiscard]] base::instant trouble_ends() const noexcept;
    [[nodiscard]] bool waiting() const noexcept {
        return state_ == state::asking || state_ == state::queued || state_ == state::pausing;
    }

    static constexpr base::milliseconds retry_pause{100};

    wait_plan plan_;
    grant grant_;
    base::instant started_{};
    base::instant asked_at_{};         ///< first send since the engine's last definite answer
    base::instant confirmed_at_{};     ///< send of the last request that was answered "queued"
    base::instant next_ = base::never; ///< pausing: ask; queued: beat; withdrawing: again
    base::instant trouble_since_ = base::never;
    std::optional<base::instant> heard_at_; ///< the engine's last definite answer
    base::instant withdraw_until_ = base::never;
    base::instant not_after_ = base::never; ///< of the last acquire
    /// Until then an acquire whose answer was lost may yet arrive, after its withdrawal.
    base::instant late_until_ = base::instant::min();
    state state_ = state::idle;
    outcome outcome_ = outcome::none;
    bool maybe_there_ = false;  ///< on the engine: a queue entry or a hold
    bool there_before_ = false; ///< maybe_there_ before the last acquire
    bool unanswered_ = false;   ///< an acquire had no answer, and none since: asked_at_ stands
    bool asked_again_ = false;  ///< while an earlier acquire may have had an effect
    bool noticed_ = false;      ///< asking: a notice came before the answer
    bool beat_in_flight_ = false;
    bool beat_is_old_ = false; ///< the one in flight was sent before the last acquire
    bool withdraw_again_ = false;
    bool withdraw_failed_ = false; ///< the last one; next_ is when it is sent again
    bool retried_ = false;         ///< the one attempt was made again at once
};

} // namespace holdfast::machine
