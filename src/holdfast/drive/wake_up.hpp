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
/// Thread safety: `ring` from any thread, the rest under the driver's lock. `arm` also reaches a
/// thread that is in poll() already.
class wake_up {
public:
    wake_up(); ///< throws error(internal) if the process has no descriptors left

    /// Fires at `when` or earlier: an instant after the armed one is not worth a system call. The
    /// thread that is woken early arms it again.
    void arm(base::instant when);
    void ring() const noexcept;

    void pollables(std::vector<pollfd>& out) const;
    /// After poll(): resets what has fired. `ready`: the two that pollables() appended.
    void handle(const pollfd* ready);

    static constexpr std::size_t count = 2;

private:
    base::fd timer_;
    base::fd bell_;
    base::instant armed_ = base::never;
};

} // namespace holdfast::drive
