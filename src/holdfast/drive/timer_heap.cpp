#include "holdfast/drive/timer_heap.hpp"

namespace holdfast::drive {

void timer_heap::set(timer_node& node, base::instant due) {
    if (due == base::never) {
        drop(node);
        return;
    }
    const bool sooner = due < node.due_;
    node.due_ = due;
    if (node.place_ == timer_node::nowhere) {
        heap_.push_back(&node);
        node.place_ = heap_.size() - 1;
        sift_up(node.place_);
    } else if (sooner) {
        sift_up(node.place_);
    } else {
        sift_down(node.place_);
    }
}

void timer_heap::drop(timer_node& node) noexcept {
    node.due_ = base::never;
    const auto place = node.place_;
    if (place == timer_node::nowhere) { return; }
    node.place_ = timer_node::nowhere;
    auto* const last = heap_.back();
    heap_.pop_back();
    if (last == &node) { return; }
    put(last, place);
    sift_up(place);
    sift_down(last->place_);
}

void timer_heap::put(timer_node* node, std::size_t place) noexcept {
    heap_[place] = node;
    node->place_ = place;
}

void timer_heap::sift_up(std::size_t place) noexcept {
    auto* const node = heap_[place];
    while (place > 0) {
        const auto parent = (place - 1) / 2;
        if (heap_[parent]->due_ <= node->due_) { break; }
        put(heap_[parent], place);
        place = parent;
    }
    put(node, place);
}

void timer_heap::sift_down(std::size_t place) noexcept {
    auto* const node = heap_[place];
    for (;;) {
        auto child = 2 * place + 1;
        if (child >= heap_.size()) { break; }
        if (child + 1 < heap_.size() && heap_[child + 1]->due_ < heap_[child]->due_) { ++child; }
        if (node->due_ <= heap_[child]->due_) { break; }
        put(heap_[child], place);
        place = child;
    }
    put(node, place);
}

} // namespace holdfast::drive
