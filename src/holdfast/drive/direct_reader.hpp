#pragma once
// Reads answers from the engine's socket, without poll() and without the driver's lock.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/spinner.hpp"
#include "holdfast/engine/engine.hpp"

#include <sys/types.h>

namespace holdfast::drive {

/// One system call per answer instead of two. The other descriptors are not seen meanwhile, so the
/// leader polls them every few milliseconds, and instead of reading while a timer is due that soon.
/// A cancellation waits for that, too.
///
/// Thread safety: none; used by the thread that leads.
class direct_reader {
public:
    struct result {
        ssize_t count = -1; ///< as recv() returned it
        int error = 0;      ///< its errno
    };

    explicit direct_reader(const base::time_source& time) noexcept : time_{time} {}

    void on_poll(base::instant now) noexcept { last_poll_ = now; }
    /// False: poll now.
    [[nodiscard]] bool allowed(base::instant now, base::instant next_due) const noexcept {
        return now < last_poll_ + poll_interval && now + poll_interval <= next_due;
    }
    /// Blocks for as long as the socket allows. With `may_spin`, and where that has paid before, it
    /// first tries for `source.spin` without blocking.
    [[nodiscard]] result read(const engine::direct_read& source, bool may_spin) noexcept;

    static constexpr base::milliseconds poll_interval{5};

private:
    [[nodiscard]] result spin(const engine::direct_read& source) noexcept;

    const base::time_source& time_;
    base::instant last_poll_{};
    spinner spinner_;
};

} // namespace holdfast::drive
