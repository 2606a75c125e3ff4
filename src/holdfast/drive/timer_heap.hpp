#pragma once
// All timers of a client: an intrusive heap, so that setting a timer needs no memory, and a
// released lease removes its timer.

#include "holdfast/base/clock.hpp"

#include <cstddef>

namespace holdfast::drive {

class timer_heap;

/// The base of members of a timer_heap. REQUIRES: removed from the heap before it is destroyed.
class timer_node {
public:
    [[nodiscard]] base::instant due() const noexcept { return due_; }

private:
    friend class timer_heap;
    base::instant due_ = base::never; ///< never: in no heap
    timer_node* child_ = nullptr;     ///< the first of those that are due later
    timer_node* next_ = nullptr;      ///< of the same parent
    timer_node* previous_ = nullptr;  ///< of the same parent; of the first child: the parent
};

/// A pairing heap: setting a timer, and dropping one that is not the first, takes constant time;
/// dropping the first takes about log n.
///
/// Thread safety: none.
class timer_heap {
public:
    /// Adds or moves the timer; `never` drops it.
    void set(timer_node& node, base::instant due) noexcept {
        if (due != node.due_) { move(node, due); }
    }
    void drop(timer_node& node) noexcept;
    [[nodiscard]] timer_node* first() const noexcept { return root_; }
    [[nodiscard]] base::instant next() const noexcept {
        return root_ == nullptr ? base::never : root_->due_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    void move(timer_node& node, base::instant due) noexcept;
    [[nodiscard]] static timer_node* meld(timer_node* node, timer_node* other) noexcept;
    [[nodiscard]] static timer_node* meld_all(timer_node* first) noexcept;

    timer_node* root_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace holdfast::drive
