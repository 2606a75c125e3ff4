#include "holdfast/drive/timer_heap.hpp"

#include <utility>

namespace holdfast::drive {

void timer_heap::set(timer_node& node, base::instant due) noexcept {
    drop(node);
    if (due == base::never) { return; }
    node.due_ = due;
    root_ = meld(root_, &node);
    ++size_;
}

void timer_heap::drop(timer_node& node) noexcept {
    if (node.due_ == base::never) { return; }
    node.due_ = base::never;
    --size_;
    auto* const children = meld_all(std::exchange(node.child_, nullptr));
    if (root_ == &node) {
        root_ = children;
        return;
    }
    (node.before_->child_ == &node ? node.before_->child_ : node.before_->next_) = node.next_;
    if (node.next_ != nullptr) { node.next_->before_ = node.before_; }
    node.next_ = node.before_ = nullptr;
    root_ = meld(root_, children);
}

/// Of two roots the one that is due later becomes the other's child.
timer_node* timer_heap::meld(timer_node* one, timer_node* other) noexcept {
    if (one == nullptr) { return other; }
    if (other == nullptr) { return one; }
    if (other->due_ < one->due_) { std::swap(one, other); }
    other->next_ = one->child_;
    if (other->next_ != nullptr) { other->next_->before_ = other; }
    other->before_ = one;
    one->child_ = other;
    return one;
}

/// Of brothers: first in pairs, then all into one, from the last on. It is the pairs that keep the
/// heap from becoming a list.
timer_node* timer_heap::meld_all(timer_node* first) noexcept {
    timer_node* pairs = nullptr; // linked by next_
    while (first != nullptr) {
        auto* const one = first;
        auto* const other = one->next_;
        first = other == nullptr ? nullptr : other->next_;
        one->next_ = one->before_ = nullptr;
        if (other != nullptr) { other->next_ = other->before_ = nullptr; }
        auto* const both = meld(one, other);
        both->next_ = pairs;
        pairs = both;
    }
    timer_node* out = nullptr;
    while (pairs != nullptr) {
        auto* const one = pairs;
        pairs = std::exchange(one->next_, nullptr);
        out = meld(out, one);
    }
    return out;
}

} // namespace holdfast::drive
