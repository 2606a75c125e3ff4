#include "holdfast/base/timer.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sys/timerfd.h>

namespace holdfast::base {

fd make_timer() noexcept {
    return fd{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
}

bool arm_timer(const fd& timer, instant when) noexcept {
    // 0 would disarm the timer.
    const auto since_boot = std::max(when.time_since_epoch(), duration{1});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    itimerspec at{};
    at.it_value.tv_sec = static_cast<std::time_t>(seconds.count());
    at.it_value.tv_nsec = static_cast<long>((since_boot - seconds).count());
    return ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &at, nullptr) == 0;
}

} // namespace holdfast::base
