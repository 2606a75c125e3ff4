#include "holdfast/drive/keeper_schedule.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::drive {

using base::instant;

namespace {

/// Work that is due this soon recurs often (a deferred write after each release). The keeper then
/// wakes up by itself after this time, which is cheaper than a wake-up for each.
constexpr base::milliseconds soon{1};

} // namespace

bool keeper_schedule::may_rest(const conditions& current) noexcept {
    if (current.led) { return true; }
    return !current.awaits_heartbeat && current.now < current.last_led + short_rest &&
           current.now < current.next_due;
}

instant keeper_schedule::rest(const conditions& current) noexcept {
    if (current.led) {
        const bool led_long = current.now - current.led_since >= short_rest;
        rests_until_ = current.now + (led_long ? long_rest : short_rest);
    } else {
        rests_until_ = std::min(current.last_led + short_rest, current.next_due);
    }
    if (std::exchange(due_soon_, false)) {
        rests_until_ = std::min(rests_until_, current.now + soon);
    }
    return rests_until_;
}

bool keeper_schedule::must_wake(const conditions& current) noexcept {
    if (current.led) { return false; }
    due_soon_ = due_soon_ || current.next_due <= current.now + soon;
    if (rests_until_ == instant::min()) { return false; }
    return current.awaits_heartbeat ||
           rests_until_ > std::min(current.last_led + short_rest, current.next_due);
}

} // namespace holdfast::drive
