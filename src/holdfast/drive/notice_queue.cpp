#include "holdfast/drive/notice_queue.hpp"

#include "holdfast/drive/delivery.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::drive {

using base::instant;

namespace {
constexpr base::milliseconds reset_pause{20};
} // namespace

void notice_queue::add(const engine::notice& notice, instant now) noexcept {
    try {
        arrived_.push_back(notice);
    } catch (const std::bad_alloc&) { on_missed(now); }
}

void notice_queue::on_missed(instant now) noexcept {
    reset_due_ = std::min(reset_due_, now + reset_pause);
}

void notice_queue::deliver(instant now) noexcept {
    delivering_.swap(arrived_);
    if (reset_due_ <= now) {
        reset_due_ = base::never;
        deliver_reset(now);
    }
    for (const auto& notice : delivering_) {
        if (notice.type == engine::notice::kind::inbox_reset) {
            deliver_reset(now);
        } else if (const auto listener = listeners_.find(notice.number)) {
            deliver_notice(*listener, notice, now);
        }
    }
    delivering_.clear();
}

void notice_queue::deliver_reset(instant now) noexcept {
    const engine::notice reset{engine::notice::kind::inbox_reset, 0, 0};
    listeners_.visit_all([&](participant& listener) { deliver_notice(listener, reset, now); });
}

} // namespace holdfast::drive
