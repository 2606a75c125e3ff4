#include "holdfast/drive/timer_heap.hpp"

#include <utility>

namespace holdfast::drive {

void timer_heap::move(timer_node& node, base::instant due) noexcept {
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
    (node.previous_->child_ == &node ? node.previous_->child_ : node.previous_->next_) = node.next_;
    if (node.next_ != nullptr) { node.next_->previous_ = node.previous_; }
    node.next_ = node.previous_ = nullptr;
    root_ = meld(root_, children);
}

/// The root that is due later becomes a child of the other.
timer_node* timer_heap::meld(timer_node* node, timer_node* other) noexcept {
    if (node == nullptr) { return other; }
    if (other == nullptr) { return node; }
    if (other->due_ < node->due_) { std::swap(node, other); }
    other->next_ = node->child_;
    if (other->next_ != nullptr) { other->next_->previous_ = other; }
    other->previous_ = node;
    node->child_ = other;
    return node;
}

/// Melds siblings: first in pairs, then the pairs into one heap, from the last. The pairing keeps
/// the heap from degenerating into a list.
timer_node* timer_heap::meld_all(timer_node* first) noexcept {
    timer_node* pairs = nullptr; // linked by next_
    while (first != nullptr) {
        auto* const node = first;
        auto* const other = node->next_;
        first = other == nullptr ? nullptr : other->next_;
        node->next_ = node->previous_ = nullptr;
        if (other != nullptr) { other->next_ = other->previous_ = nullptr; }
        auto* const both = meld(node, other);
        both->next_ = pairs;
        pairs = both;
    }
    timer_node* out = nullptr;
    while (pairs != nullptr) {
        auto* const node = pairs;
        pairs = std::exchange(node->next_, nullptr);
        out = meld(out, node);
    }
    return out;
}

} // namespace holdfast::drive
