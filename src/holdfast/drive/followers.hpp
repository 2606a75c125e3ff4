#pragma once
// Callers that wait while another thread drives the engine.

#include "holdfast/drive/sleeper.hpp"

#include <cstddef>

namespace holdfast::drive {

/// In the order in which they came; linked through the sleepers.
///
/// Thread safety: none.
class followers {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] sleeper& first() const noexcept { return *first_; }
    [[nodiscard]] static bool has(const sleeper& sleeper) noexcept { return sleeper.follows_; }
    void add(sleeper& sleeper) noexcept;
    void remove(sleeper& sleeper) noexcept;

private:
    sleeper* first_ = nullptr;
    sleeper* last_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace holdfast::drive
