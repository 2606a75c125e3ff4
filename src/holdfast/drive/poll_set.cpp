#include "holdfast/drive/poll_set.hpp"

#include <algorithm>
#include <new>

namespace holdfast::drive {

poll_set::poll_set() {
    constexpr std::size_t usual_size =
        wake_up::count + 4; // collect() must never allocate for wake_up's
    polled_.reserve(usual_size);
}

void poll_set::collect(const wake_up& wake, const engine::engine& engine) noexcept {
    constexpr int no_timeout = -1;
    constexpr int retry_ms = 10;
    polled_.clear();
    wake.pollables(polled_);
    timeout_ms_ = no_timeout;
    try {
        engine.pollables(polled_);
    } catch (const std::bad_alloc&) {
        polled_.resize(wake_up::count);
        timeout_ms_ = retry_ms;
    }
}

void poll_set::wait() noexcept {
    if (::poll(polled_.data(), polled_.size(), timeout_ms_) < 0) {
        for (auto& descriptor : polled_) { descriptor.revents = 0; }
    }
}

bool poll_set::is_current(const engine::engine& engine) noexcept {
    try {
        scratch_.clear();
        engine.pollables(scratch_);
    } catch (const std::bad_alloc&) { return false; }
    return std::equal(
        scratch_.begin(), scratch_.end(), polled_.begin() + wake_up::count, polled_.end(),
        [](const pollfd& a, const pollfd& b) { return a.fd == b.fd && a.events == b.events; });
}

} // namespace holdfast::drive
