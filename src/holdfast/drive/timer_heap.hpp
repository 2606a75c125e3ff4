#pragma once
// One timer for everything: a heap whose members are its links, so that a released lease takes its
// timer with it instead of leaving it to pile up, and that setting one needs no memory.

#include "holdfast/base/clock.hpp"

#include <cstddef>

namespace holdfast::drive {

class timer_heap;

/// Derive from it to be put into a timer_heap. REQUIRES: dropped from the heap before it dies.
class timer_node {
public:
    [[nodiscard]] base::instant due() const noexcept { return due_; }

private:
    friend class timer_heap;
    base::instant due_ = base::never; ///< never: in no heap
    timer_node* child_ = nullptr;     ///< the first of those that are due later
    timer_node* next_ = nullptr;      ///< of the same parent
    timer_node* before_ = nullptr;    ///< of the same parent; of the first child: the parent
};

/// A pairing heap: setting and dropping one that is not the first cost a few steps, however many
/// there are; dropping the first costs about log n.
///
/// Thread safety: none.
class timer_heap {
public:
    /// Puts, moves or, with `never`, drops it.
    void set(timer_node& node, base::instant due) noexcept;
    void drop(timer_node& node) noexcept;
    [[nodiscard]] timer_node* first() const noexcept { return root_; }
    [[nodiscard]] base::instant next() const noexcept {
        return root_ == nullptr ? base::never : root_->due_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    [[nodiscard]] static timer_node* meld(timer_node* node, timer_node* other) noexcept;
    [[nodiscard]] static timer_node* meld_all(timer_node* first) noexcept;

    timer_node* root_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace holdfast::drive
