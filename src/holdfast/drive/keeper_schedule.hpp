#pragma once
// When the keeper rests, and when it has to be woken.

#include "holdfast/base/clock.hpp"

namespace holdfast::drive {

/// While callers come one after the other they drive the engine themselves, and waking the keeper
/// between them would cost as much as what they do. So it rests:
///
///   somebody leads       for `quiet`, then it looks again; for `long_quiet` if the same caller has
///                        led for `quiet`: a thousand clients that wait should not keep a thousand
///                        keepers busy
///   nobody leads         until `quiet` after the last leader left, but not beyond the next timer,
///                        and not while a heartbeat is in flight: its answer would stay unread
///                        while the lease expires
///
/// So a notice that arrives while nobody leads is read within `quiet`.
///
/// A pure machine: it starts no thread and reads no clock.
class keeper_schedule {
public:
    /// What it depends on.
    struct situation {
        base::instant now{};
        bool led = false;          ///< some thread drives the engine
        base::instant led_since{}; ///< with led
        base::instant last_led{};  ///< when the last leader left without a successor
        base::instant next_due = base::never;
        bool awaits_heartbeat = false; ///< one is in flight
    };

    [[nodiscard]] static bool may_rest(const situation& now) noexcept;
    /// The keeper goes to rest; returns until when.
    base::instant rest(const situation& now) noexcept;
    void wake() noexcept { rests_until_ = base::instant::min(); }
    /// At the end of a turn: whether the keeper rests for too long and must be woken.
    [[nodiscard]] bool must_wake(const situation& now) noexcept;

    static constexpr base::milliseconds quiet{100};
    static constexpr base::milliseconds long_quiet{1000};

private:
    base::instant rests_until_ = base::instant::min(); ///< min: it does not rest
    bool due_soon_ = false;                            ///< something was, while nobody led
};

} // namespace holdfast::drive
