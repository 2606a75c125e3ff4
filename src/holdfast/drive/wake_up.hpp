#pragma once
// Ends another thread's poll(): at an instant, or at once.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

#include <poll.h>
#include <vector>

namespace holdfast::drive {

/// A timerfd on CLOCK_BOOTTIME and an eventfd. poll()'s own time-out stops while the machine is
/// suspended; the timerfd fires at once on resume, so that a loss is reported in time (P2).
///
/// Thread safety: `signal` from any thread, the rest under the driver's lock. `arm` also wakes a
/// thread that is in poll() already.
class wake_up {
public:
    wake_up(); ///< throws error(internal) if the process has no descriptors left

    /// Fires at `when` or earlier: a later instant than the armed one costs no system call. The
    /// thread that wakes up early arms it again.
    void arm(base::instant when) {
        if (when < armed_) { arm_earlier(when); }
    }
    void signal() const noexcept;

    void pollables(std::vector<pollfd>& out) const;
    /// After poll(): resets what has fired. `ready`: the two that pollables() appended.
    void handle(const pollfd* ready);

    static constexpr std::size_t count = 2;

private:
    void arm_earlier(base::instant when);

    base::fd timer_;
    base::fd event_;
    base::instant armed_ = base::never;
};

} // namespace holdfast::drive
