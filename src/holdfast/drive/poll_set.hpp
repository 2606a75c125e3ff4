#pragma once
// The descriptors that a thread polls: the driver's own two and the engine's.

#include "holdfast/drive/wake_up.hpp"
#include "holdfast/engine/engine.hpp"

#include <poll.h>
#include <span>
#include <vector>

namespace holdfast::drive {

/// Thread safety: `wait` without the driver's lock, the rest under it. `is_current` may be called
/// while another thread waits: it reads only what poll() does not write.
class poll_set {
public:
    poll_set();

    /// Without memory the engine's descriptors are left out, and `wait` returns soon for a retry.
    void collect(const wake_up& wake, const engine::engine& engine) noexcept;
    /// Calls poll(). If a signal interrupts it, nothing is ready.
    void wait() noexcept;
    [[nodiscard]] const pollfd* driver_descriptors() const noexcept { return polled_.data(); }
    [[nodiscard]] std::span<const pollfd> engine_descriptors() const noexcept {
        return std::span{polled_}.subspan(wake_up::count);
    }
    /// Whether the engine's descriptors have not changed since `collect`.
    [[nodiscard]] bool is_current(const engine::engine& engine) noexcept;

private:
    std::vector<pollfd> polled_;
    std::vector<pollfd> scratch_; ///< kept for its memory
    int timeout_ms_ = -1;
};

} // namespace holdfast::drive
