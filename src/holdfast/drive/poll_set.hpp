#pragma once
// What a thread gives to poll(): the driver's own two descriptors and the engine's.

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

    /// If there is no memory for the engine's descriptors they are left out, and `wait` returns
    /// soon so that it can be tried again.
    void collect(const wake_up& wake, const engine::engine& engine) noexcept;
    /// poll(). If that is interrupted by a signal, nothing is ready.
    void wait() noexcept;
    [[nodiscard]] const pollfd* own() const noexcept { return polled_.data(); }
    [[nodiscard]] std::span<const pollfd> engines() const noexcept {
        return std::span{polled_}.subspan(wake_up::count);
    }
    /// Whether the engine's descriptors are those that were collected.
    [[nodiscard]] bool is_current(const engine::engine& engine) noexcept;

private:
    std::vector<pollfd> polled_;
    std::vector<pollfd> scratch_; ///< kept for its memory
    int timeout_ms_ = -1;
};

} // namespace holdfast::drive
