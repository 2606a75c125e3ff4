#pragma once
// The driver's clock, which is read once per turn and not once per use.

#include "holdfast/base/clock.hpp"

namespace holdfast::drive {

/// Cached clock, refreshed when the driver's lock is acquired. Never ahead of the real clock, so
/// deadlines derived from it are conservative.
///
/// Thread safety: none.
class turn_clock {
public:
    explicit turn_clock(const base::time_source& time) noexcept : time_{time} {}

    [[nodiscard]] base::instant now() const noexcept { return now_; }
    [[nodiscard]] const base::time_source& source() const noexcept { return time_; }
    void refresh() noexcept { now_ = time_.now(); }
    /// Called before answers are delivered: the process may have been stopped since the last
    /// reading, and with an old clock a late answer would look timely (P2).
    void refresh_unless_current() noexcept {
        if (!current_) { refresh(); }
    }
    /// The clock was read after the answers arrived that are about to be delivered.
    void set_current(bool current) noexcept { current_ = current; }

private:
    const base::time_source& time_;
    base::instant now_{};
    bool current_ = false;
};

} // namespace holdfast::drive
