#include "holdfast/drive/wake_up.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>

namespace holdfast::drive {

wake_up::wake_up()
    : timer_{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)},
      event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    if (!timer_ || !event_) {
        throw error{errc::limit_reached,
                    std::string{"cannot make a timer or an event descriptor ("} +
                        std::generic_category().message(errno) +
                        "): raise the limit on open files (ulimit -n)"};
    }
}

void wake_up::arm_earlier(base::instant when) {
    armed_ = when;
    // 0 would disarm the timer.
    const auto since_boot = std::max(when.time_since_epoch(), base::duration{1});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    itimerspec at{};
    at.it_value.tv_sec = static_cast<std::time_t>(seconds.count());
    at.it_value.tv_nsec = static_cast<long>((since_boot - seconds).count());
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void wake_up::signal() const noexcept {
    const std::uint64_t increment = 1;
    // Fails only after 2^64 signals without a poll().
    [[maybe_unused]] const auto written = ::write(event_.get(), &increment, sizeof increment);
}

void wake_up::pollables(std::vector<pollfd>& out) const {
    out.push_back({timer_.get(), POLLIN, 0});
    out.push_back({event_.get(), POLLIN, 0});
}

void wake_up::handle(const pollfd* ready) {
    std::uint64_t ignored = 0;
    if (ready[0].revents != 0) {
        [[maybe_unused]] const auto size = ::read(timer_.get(), &ignored, sizeof ignored);
        armed_ = base::never;
    }
    if (ready[1].revents != 0) {
        [[maybe_unused]] const auto size = ::read(event_.get(), &ignored, sizeof ignored);
    }
}

} // namespace holdfast::drive
