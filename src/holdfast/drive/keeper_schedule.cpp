#include "holdfast/drive/keeper_schedule.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::drive {

using base::instant;

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

} // namespace holdfast::drive
