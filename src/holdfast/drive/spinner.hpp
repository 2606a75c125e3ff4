#pragma once
// Decides whether to spin for a reply before blocking.

#include <algorithm>
#include <cstdint>

namespace holdfast::drive {

/// Spinning pays if the server runs on another cpu, because waking this thread takes longer than
/// the reply. It wastes time if both share a cpu, or if the server is far away. That is not known
/// beforehand, so it is tried: each failure doubles the number of waits until the next try, up to
/// `longest_skip`.
///
/// Thread safety: none.
class spinner {
public:
    [[nodiscard]] bool should_spin() noexcept {
        if (skip_ == 0) { return true; }
        --skip_;
        return false;
    }
    void on_success() noexcept { next_skip_ = first_skip; }
    void on_failure() noexcept {
        skip_ = next_skip_;
        next_skip_ = std::min(next_skip_ * 2, longest_skip);
    }

private:
    static constexpr std::uint32_t first_skip = 4;
    static constexpr std::uint32_t longest_skip = 4096;

    std::uint32_t skip_ = 0;
    std::uint32_t next_skip_ = first_skip;
};

} // namespace holdfast::drive
