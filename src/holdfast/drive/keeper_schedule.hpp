#pragma once
// When the keeper rests, and when it has to be woken.

#include "holdfast/base/clock.hpp"

#include <algorithm>

namespace holdfast::drive {

/// Consecutive callers drive the engine themselves, and waking the keeper between them would cost
/// as much as their own work. So the keeper rests:
///
///   somebody leads   for `short_rest`, or for `long_rest` if the same caller has led for
///                    `short_rest`: a thousand waiting clients must not wake a thousand keepers
///   nobody leads     until `short_rest` after the last leader left, but not beyond the next timer,
///                    and not while a heartbeat is in flight: its answer would stay unread while
///                    the lease expires
///
/// So a notice that arrives while nobody leads is read within `short_rest`.
///
/// A pure machine: it starts no thread and reads no clock.
class keeper_schedule {
public:
    /// The facts that the decision depends on.
    struct conditions {
        base::instant now{};
        bool led = false;          ///< some thread drives the engine
        base::instant led_since{}; ///< with led
        base::instant last_led{};  ///< when the last leader left without a successor
        base::instant next_due = base::never;
        bool awaits_heartbeat = false; ///< one is in flight
    };

    [[nodiscard]] static bool may_rest(const conditions& current) noexcept;
    /// The keeper goes to rest; returns until when.
    base::instant rest(const conditions& current) noexcept;
    void wake() noexcept { rests_until_ = base::instant::min(); }
    /// At the end of a turn: whether the keeper rests for too long and must be woken.
    [[nodiscard]] bool must_wake(const conditions& current) noexcept {
        if (current.led) { return false; }
        due_soon_ = due_soon_ || current.next_due <= current.now + soon;
        if (rests_until_ == base::instant::min()) { return false; }
        return current.awaits_heartbeat ||
               rests_until_ > std::min(current.last_led + short_rest, current.next_due);
    }

    static constexpr base::milliseconds short_rest{100};
    static constexpr base::milliseconds long_rest{1000};

private:
    /// Work that is due this soon recurs often (a deferred write after each release). The keeper
    /// then wakes up by itself after this time, which is cheaper than a wake-up for each.
    static constexpr base::milliseconds soon{1};

    base::instant rests_until_ = base::instant::min(); ///< min: it does not rest
    bool due_soon_ = false;                            ///< work was due soon while nobody led
};

} // namespace holdfast::drive
