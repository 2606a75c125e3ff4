#include "holdfast/drive/cancel_queue.hpp"

#include <utility>

namespace holdfast::drive {

void cancel_queue::add(std::shared_ptr<participant> participant) noexcept {
    const std::lock_guard lock{mutex_};
    participant->next_cancelled_ = std::exchange(first_, nullptr);
    first_ = std::move(participant);
    filled_.store(true, std::memory_order_release);
}

void cancel_queue::deliver_all(base::instant now) noexcept {
    std::shared_ptr<participant> first;
    {
        const std::lock_guard lock{mutex_};
        first.swap(first_);
        filled_.store(false, std::memory_order_release);
    }
    while (first) {
        first->on_cancel(now);
        first = std::exchange(first->next_cancelled_, nullptr);
    }
}

} // namespace holdfast::drive
