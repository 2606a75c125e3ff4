#pragma once
// Whether to spin for an answer before blocking.

#include <algorithm>
#include <cstdint>

namespace holdfast::drive {

/// Spinning pays where the server runs on another cpu, because waking this one takes longer than
/// the answer. Where both share a cpu, or the server is far away, it only burns time. Nobody knows
/// beforehand, so it is tried: after each try in vain the next one comes later, at the latest after
/// `longest_pause` waits.
///
/// Thread safety: none.
class spinner {
public:
    [[nodiscard]] bool worth_it() noexcept {
        if (pause_ == 0) { return true; }
        --pause_;
        return false;
    }
    void found() noexcept { next_pause_ = first_pause; }
    void in_vain() noexcept {
        pause_ = next_pause_;
        next_pause_ = std::min(next_pause_ * 2, longest_pause);
    }

private:
    static constexpr std::uint32_t first_pause = 4;
    static constexpr std::uint32_t longest_pause = 4096;

    std::uint32_t pause_ = 0;
    std::uint32_t next_pause_ = first_pause;
};

} // namespace holdfast::drive
