#pragma once
// Reads replies from the engine's socket, without poll() and without the driver's lock.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/spinner.hpp"
#include "holdfast/engine/engine.hpp"

#include <sys/types.h>

namespace holdfast::drive {

/// Saves one of two system calls per reply. A direct read does not watch the other descriptors. So
/// the leader polls every `poll_interval`, and always polls if a timer is due within that time. A
/// cancellation waits for the next poll.
///
/// Thread safety: none; only the leader uses it.
class direct_reader {
public:
    struct result {
        ssize_t count = -1; ///< as recv() returned it
        int error = 0;      ///< its errno
    };

    explicit direct_reader(const base::time_source& time) noexcept : time_{time} {}

    void on_poll(base::instant now) noexcept { last_poll_ = now; }
    /// Whether the leader may read directly; if not, it has to poll.
    [[nodiscard]] bool allowed(base::instant now, base::instant next_due) const noexcept {
        return now < last_poll_ + poll_interval && now + poll_interval <= next_due;
    }
    /// Blocks until bytes arrive or the socket's receive time-out ends. With `may_spin`, and where
    /// spinning has succeeded before, it first tries for `source.spin` without blocking.
    [[nodiscard]] result read(const engine::direct_read& source, bool may_spin) noexcept;

    static constexpr base::milliseconds poll_interval{5};

private:
    [[nodiscard]] result spin(const engine::direct_read& source) noexcept;

    const base::time_source& time_;
    base::instant last_poll_{};
    spinner spinner_;
};

} // namespace holdfast::drive
