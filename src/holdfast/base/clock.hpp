#pragma once
// All time comes through here, so that tests can bring their own.

#include <chrono>
#include <cstdint>

namespace holdfast::base {

/// CLOCK_BOOTTIME: unlike steady_clock it goes on while the machine is suspended, so a lease that
/// ran out during a suspend is seen to have run out.
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

/// `at + d` that stays at `never` instead of overflowing.
[[nodiscard]] constexpr instant later(instant at, duration d) noexcept {
    if (at == never || (d > duration::zero() && at > never - d)) { return never; }
    return at + d;
}

class time_source {
public:
    time_source() = default;
    time_source(const time_source&) = delete;
    time_source& operator=(const time_source&) = delete;
    virtual ~time_source() = default;
    [[nodiscard]] virtual instant now() const noexcept = 0;
    /// Microseconds since 1970: for tokens and for people, never for deadlines.
    [[nodiscard]] virtual std::int64_t wall_us() const noexcept = 0;
};

[[nodiscard]] const time_source& system_time() noexcept;

} // namespace holdfast::base
