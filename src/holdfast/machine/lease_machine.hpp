#pragma once
// The state machine of a holder; it has no clock, no thread and no I/O.

#include "holdfast/machine/lease_terms.hpp"

#include <holdfast/lease.hpp>

#include <cstdint>
#include <optional>

namespace holdfast::machine {

/// The events of a hold.
enum class lease_event : std::uint8_t {
    tick,            ///< time has passed: `actions::wake`, or any other instant
    renewed,         ///< a renewal's answer; `when` and `lease` are those of its request
    gone,            ///< a renewal's answer: the engine no longer has the hold
    renewal_unknown, ///< a renewal failed or its answer was lost
    taken,           ///< a notice: the lock was broken
    doubt,           ///< a notice: the engine may have lost the hold
    extend,          ///< the holder wants `lease` from now on
    abandon,         ///< the thread that held it has ended
    release,         ///< the holder gives it up and tries until `when`; `never`: see below
    release_done,    ///< a release's answer: it was held until now
    release_void,    ///< a release's answer: it was not held any more
    release_unknown, ///< a release whose answer was lost
    release_refused, ///< a release that certainly did not happen
    hurry,           ///< send at once what waits for its next try
};

struct lease_input {
    lease_event event{};
    base::instant when{};
    base::milliseconds lease{0};
};

enum class lease_state : std::uint8_t { held, renewing, releasing, lost, ended };

/// The result of a release; `none`: it has no result yet.
enum class lease_ending : std::uint8_t { none, released, not_held, unknown, refused };

/// State table. `N` is the deadline; "-" means: nothing happens.
///
///             held               renewing           releasing        lost              ended
///  tick       N: lost            N: lost            due: resend,     -                 -
///             due: renewing                         or ended
///  renewed    N moves            held, N moves      -                release it        -
///  gone       lost: taken        lost: taken        -                -                 -
///  renewal_unknown  soon again   held, soon again   -                -                 -
///  taken      lost: taken        lost: taken        -                -                 -
///  doubt      renewing           -                  -                -                 -
///  extend     renewing           renewing           -                -                 -
///  abandon    lost               lost               -                -                 -
///  release    releasing          releasing          -                -                 -
///  release_done   -              -                  ended            -                 -
///  release_void   -              -                  ended            -                 -
///  release_unknown  -            -                  soon again       -                 -
///  release_refused  -            -                  ended            -                 -
///  hurry      troubled: renewing -                  to resend: now   -                 -
///
/// Loss is final: a renewal that is answered late finds the machine in `lost` and is undone.
/// A release without a limit of its own is tried until the engine's lease has ended by itself.
class lease_machine {
public:
    /// How the hold began.
    struct beginning {
        base::instant sent{};              ///< when the granted request was sent: s in P2
        base::milliseconds granted_for{0}; ///< the lease, or less for a hand-off
        bool provisional = false;          ///< a hand-off: only `granted_for` counts until renewed
    };

    /// What the owner of the machine must do now.
    struct actions {
        bool renew = false;
        base::milliseconds renew_for{0};
        base::instant renew_by = base::never; ///< without an answer by then, try another connection
        bool release = false;
        bool report_lost = false; ///< loss_reason() is set
        bool report_trouble = false;
        bool report_recovered = false;
        base::instant wake = base::never; ///< when to send the next tick
    };

    lease_machine() noexcept = default; ///< no lease yet
    lease_machine(const lease_terms& terms, const beginning& start) noexcept {
        begin(terms, start);
    }
    /// REQUIRES: no lease yet.
    void begin(const lease_terms& terms, const beginning& start) noexcept;

    actions on(const lease_input& input, base::instant now) noexcept;

    [[nodiscard]] lease_state state() const noexcept { return state_; }
    [[nodiscard]] bool holding() const noexcept {
        return state_ == lease_state::held || state_ == lease_state::renewing;
    }
    [[nodiscard]] bool valid(base::instant now) const noexcept {
        return holding() && now < deadline_;
    }
    [[nodiscard]] base::instant deadline() const noexcept { return deadline_; }
    /// Why it is lost if nothing happens before the deadline.
    [[nodiscard]] loss reason_at_deadline() const noexcept {
        return reaches_max_hold_ ? loss::max_hold : loss::expired;
    }
    [[nodiscard]] std::optional<loss> loss_reason() const noexcept { return loss_reason_; }
    [[nodiscard]] lease_ending ending() const noexcept { return ending_; }
    [[nodiscard]] base::instant release_deadline() const noexcept { return release_deadline_; }
    /// A release had no answer and has to be sent again.
    [[nodiscard]] bool must_resend_release() const noexcept {
        return state_ == lease_state::releasing && renew_at_ != base::never;
    }

private:
    actions tick(base::instant now) noexcept;
    actions tick_releasing(base::instant now) noexcept;
    actions begin_release(base::instant give_up) noexcept;
    actions on_renewal_answer(const lease_input& input, base::instant now) noexcept;
    actions on_release_answer(lease_event event, base::instant now) noexcept;
    actions lose(loss reason) noexcept;
    actions extend(base::milliseconds lease, base::instant now) noexcept;
    actions doubt(base::instant now) noexcept;
    void send_renewal(actions& out, base::instant now) noexcept;
    [[nodiscard]] base::milliseconds lease_at(base::instant now) const noexcept;
    [[nodiscard]] base::instant next_wake() const noexcept;
    [[nodiscard]] base::milliseconds counted_lease(const lease_input& renewed) const noexcept;
    [[nodiscard]] static base::duration pause(base::duration left) noexcept;

    lease_terms terms_;
    base::instant deadline_{};             ///< N
    base::instant renew_at_ = base::never; ///< releasing: when to send the release again
    base::instant last_sent_{};            ///< of the newest renewal
    base::milliseconds shortest_sent_{0};  ///< the shortest since none was in flight
    base::instant engine_until_;           ///< the engine's lease ends by then without a renewal
    base::instant max_hold_end_ = base::never;
    base::instant release_deadline_ = base::never;
    std::uint32_t in_flight_ = 0;
    lease_state state_ = lease_state::held;
    lease_ending ending_ = lease_ending::none;
    bool renewal_failing_ = false;
    bool handed_off_ = false; ///< granted by a hand-off, and no tick has scheduled a renewal yet
    bool reaches_max_hold_ = false; ///< the engine's lease ends with max_hold: no renewal helps
    std::optional<loss> loss_reason_;
};

} // namespace holdfast::machine
