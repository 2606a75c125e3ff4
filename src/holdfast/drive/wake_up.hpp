#pragma once
// How a thread that waits in poll() is reached: by a timer, or by another thread.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

#include <poll.h>
#include <vector>

namespace holdfast::drive {

/// A timerfd on CLOCK_BOOTTIME and an eventfd. poll()'s own time-out stops while the machine is
/// suspended; the timerfd goes off at once on resume, so that a loss is told in time (P2).
///
/// Thread safety: `ring` from any thread, the rest under the driver's lock. Arming reaches a thread
/// that is in poll() already.
class wake_up {
public:
    wake_up(); ///< throws error(internal) if the process has no descriptors left

    /// Goes off at `when` or somewhat before: a later instant than is armed already is not worth a
    /// system call. Whoever is woken for nothing arms again.
    void arm(base::instant when);
    void ring() const noexcept;

    void pollables(std::vector<pollfd>& out) const;
    /// After poll(): takes note of what has gone off. `ready`: the two that pollables() appended.
    void heard(const pollfd* ready);

    static constexpr std::size_t count = 2;

private:
    base::fd timer_;
    base::fd bell_;
    base::instant armed_ = base::never;
};

} // namespace holdfast::drive
