#pragma once
// One timer for everything: a binary heap whose members know their place, so that a released lease
// takes its timer with it instead of leaving it to pile up.

#include "holdfast/base/clock.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::drive {

class timer_heap;

/// Derive from it to be put into a timer_heap. REQUIRES: dropped from the heap before it dies.
class timer_node {
public:
    [[nodiscard]] base::instant due() const noexcept { return due_; }

private:
    friend class timer_heap;
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    base::instant due_ = base::never;
    std::size_t place_ = nowhere;
};

/// Thread safety: none.
class timer_heap {
public:
    /// Puts, moves or, with `never`, drops it.
    void set(timer_node& node, base::instant due);
    void drop(timer_node& node) noexcept;
    [[nodiscard]] timer_node* first() const noexcept {
        return heap_.empty() ? nullptr : heap_.front();
    }
    [[nodiscard]] base::instant next() const noexcept {
        return heap_.empty() ? base::never : heap_.front()->due_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

private:
    void put(timer_node* node, std::size_t place) noexcept;
    void sift_up(std::size_t place) noexcept;
    void sift_down(std::size_t place) noexcept;

    std::vector<timer_node*> heap_;
};

} // namespace holdfast::drive
