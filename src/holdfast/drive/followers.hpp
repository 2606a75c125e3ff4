#pragma once
// The blocked callers that wait while another thread drives the engine.

#include "holdfast/drive/sleeper.hpp"

#include <cstddef>

namespace holdfast::drive {

/// An intrusive list in order of arrival.
///
/// Thread safety: none.
class followers {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] sleeper& first() const noexcept { return *first_; }
    [[nodiscard]] static bool contains(const sleeper& sleeper) noexcept { return sleeper.follows_; }
    void add(sleeper& sleeper) noexcept;
    void remove(sleeper& sleeper) noexcept;

private:
    sleeper* first_ = nullptr;
    sleeper* last_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace holdfast::drive
