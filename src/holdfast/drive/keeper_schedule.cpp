#include "holdfast/drive/keeper_schedule.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::drive {

using base::instant;

namespace {

/// Work that is due this soon comes again and again (a deferred write after each release). The
/// keeper then looks this often by itself, instead of being woken each time.
constexpr base::milliseconds soon{1};

} // namespace

bool keeper_schedule::may_rest(const situation& now) noexcept {
    if (now.led) { return true; }
    return !now.awaits_heartbeat && now.now < now.last_led + quiet && now.now < now.next_due;
}

instant keeper_schedule::rest(const situation& now) noexcept {
    if (now.led) {
        const bool long_led = now.now - now.led_since >= quiet;
        rests_until_ = now.now + (long_led ? long_quiet : quiet);
    } else {
        rests_until_ = std::min(now.last_led + quiet, now.next_due);
    }
    if (std::exchange(due_soon_, false)) { rests_until_ = std::min(rests_until_, now.now + soon); }
    return rests_until_;
}

bool keeper_schedule::must_wake(const situation& now) noexcept {
    if (now.led) { return false; }
    due_soon_ = due_soon_ || now.next_due <= now.now + soon;
    if (rests_until_ == instant::min()) { return false; }
    return now.awaits_heartbeat || rests_until_ > std::min(now.last_led + quiet, now.next_due);
}

} // namespace holdfast::drive
