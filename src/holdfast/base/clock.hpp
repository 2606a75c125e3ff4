#pragma once
// The clocks of the library; tests replace them by a time_source of their own.

#include <chrono>
#include <cstdint>

namespace holdfast::base {

/// CLOCK_BOOTTIME: unlike steady_clock it advances while the machine is suspended, so a lease that
/// expires during a suspend counts as expired after it.
struct boot_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<boot_clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept;
};

using instant = boot_clock::time_point;
using duration = boot_clock::duration;
using milliseconds = std::chrono::milliseconds;

inline constexpr instant never = instant::max();

/// `start + delay`, or `never` where that would overflow.
[[nodiscard]] constexpr instant later(instant start, duration delay) noexcept {
    if (start == never || (delay > duration::zero() && start > never - delay)) { return never; }
    return start + delay;
}

class time_source {
public:
    time_source() = default;
    time_source(const time_source&) = delete;
    time_source& operator=(const time_source&) = delete;
    virtual ~time_source() = default;
    [[nodiscard]] virtual instant now() const noexcept = 0;
    /// Microseconds since 1970. For tokens and for display; deadlines use now().
    [[nodiscard]] virtual std::int64_t wall_us() const noexcept = 0;
};

[[nodiscard]] const time_source& system_time() noexcept;

} // namespace holdfast::base
