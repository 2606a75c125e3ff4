#include "holdfast/drive/wake_up.hpp"

#include "holdfast/base/system_text.hpp"
#include "holdfast/base/timer.hpp"

#include <holdfast/error.hpp>

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>

namespace holdfast::drive {

wake_up::wake_up() : timer_{base::make_timer()}, event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    if (!timer_ || !event_) {
        throw error{errc::limit_reached,
                    base::descriptor_failure("a timer or an event descriptor", errno)};
    }
}

void wake_up::arm_earlier(base::instant when) {
    armed_ = when;
    base::arm_timer(timer_, when);
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
