#pragma once
// Whether to look for an answer for a while before blocking.

#include <algorithm>
#include <cstdint>

namespace holdfast::drive {

/// Looking pays where the server runs on another cpu, since waking this one up takes longer than
/// the answer; where both share a cpu, or the server is far away, it only burns time. Nobody can
/// know beforehand, so it is tried: after each try in vain the next comes later, up to `rarest`
/// waits.
///
/// Thread safety: none.
class spinner {
public:
    [[nodiscard]] bool worth_it() noexcept {
        if (pause_ == 0) { return true; }
        --pause_;
        return false;
    }
    void found() noexcept { next_pause_ = first; }
    void in_vain() noexcept {
        pause_ = next_pause_;
        next_pause_ = std::min(next_pause_ * 2, rarest);
    }

private:
    static constexpr std::uint32_t first = 4;
    static constexpr std::uint32_t rarest = 4096;

    std::uint32_t pause_ = 0;
    std::uint32_t next_pause_ = first;
};

} // namespace holdfast::drive
