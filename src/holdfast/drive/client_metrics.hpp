#pragma once
// Counts what a client does.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/answers.hpp"
#include "holdfast/machine/lease_machine.hpp"
#include "holdfast/machine/waiter_machine.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/metrics.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace holdfast::drive {

/// A number that one thread at a time changes, and any thread reads: a plain addition, without the
/// cost of an atomic one.
class relaxed_number {
public:
    void add(std::uint64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t get() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// Counts durations; see duration_histogram.
class relaxed_histogram {
public:
    void add(base::duration time) noexcept {
        std::size_t range = 0; // most are short
        while (range < duration_histogram::bounds.size() &&
               time > duration_histogram::bounds[range]) {
            ++range;
        }
        counts_[range].add();
        sum_.add(static_cast<std::uint64_t>(time.count()));
    }
    [[nodiscard]] duration_histogram get() const noexcept;

private:
    std::array<relaxed_number, duration_histogram::bounds.size() + 1> counts_{};
    relaxed_number sum_; ///< nanoseconds
};

/// The request that a lost reply belonged to.
enum class request_kind : std::uint8_t { acquire, heartbeat, renewal, release, withdrawal };

/// Each outcome is counted where it is decided: waits and holds count their own, the dispatcher
/// counts reconnects. `now` is the driver's: counting reads no clock.
///
/// Thread safety: `get` from any thread, without a lock; the rest under the driver's lock.
class client_metrics {
public:
    explicit client_metrics(bool enabled = true) noexcept : enabled_{enabled} {}

    void on_wait_begun() noexcept { count(waits_begun_); }
    /// An acquire has an outcome; REQUIRES: not `none`. `waited`: on_wait_begun() was called.
    void on_acquired(machine::waiter_machine::outcome outcome, bool waited, bool by_hand_off,
                     base::duration time) noexcept {
        if (!enabled_) { return; }
        acquires_[static_cast<std::size_t>(outcome)].add();
        if (waited) { waits_ended_.add(); }
        if (outcome != machine::waiter_machine::outcome::granted) { return; }
        if (by_hand_off) { hand_offs_.add(); }
        wait_time_.add(time);
    }
    /// By a release, a loss, or because the lease was detached.
    void on_hold_ended(base::duration time) noexcept {
        if (enabled_) { hold_time_.add(time); }
    }
    void on_lost(loss cause) noexcept;
    /// REQUIRES: not `none`.
    void on_released(machine::lease_ending ending, bool handed_off) noexcept {
        count(handed_off ? handed_off_ : releases_[static_cast<std::size_t>(ending)]);
    }
    void on_renewal_answer(engine::op_status status) noexcept;
    void on_reply_lost(request_kind request) noexcept {
        count(unknown_[static_cast<std::size_t>(request)]);
    }
    void on_reconnected() noexcept { count(reconnects_); }

    [[nodiscard]] metrics get() const noexcept;

private:
    void count(relaxed_number& number) const noexcept {
        if (enabled_) { number.add(); }
    }

    bool enabled_;
    std::array<relaxed_number, 8> acquires_{}; ///< by waiter_machine::outcome
    std::array<relaxed_number, 5> releases_{}; ///< by lease_ending
    relaxed_number handed_off_;
    relaxed_histogram wait_time_;
    relaxed_histogram hold_time_;
    relaxed_number waits_begun_;
    relaxed_number waits_ended_;
    relaxed_number hand_offs_;
    struct {
        relaxed_number expired;
        relaxed_number taken;
        relaxed_number max_hold;
        relaxed_number thread_exited;
    } losses_;
    std::array<relaxed_number, 5> unknown_{}; ///< by request_kind
    struct {
        relaxed_number renewed;
        relaxed_number lost;
        relaxed_number unknown;
        relaxed_number failed;
    } renewals_;
    relaxed_number reconnects_;
};

} // namespace holdfast::drive
