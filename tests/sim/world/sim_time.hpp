#pragma once
// The true time of a run, and clocks that show another.

#include <chrono>
#include <cstdint>

namespace holdfast::sim {

/// Since the run began.
using sim_time = std::chrono::nanoseconds;

inline constexpr sim_time never_again = sim_time::max();

/// The rate of a clock: `parts_per_million` faster than true time.
struct clock_rate {
    std::int64_t parts_per_million = 0;

    static constexpr std::int64_t million = 1'000'000;

    /// How much of this clock's time has passed.
    [[nodiscard]] constexpr sim_time shown(sim_time now) const noexcept {
        return now + now * parts_per_million / million;
    }
    /// The first true time at which it shows that much.
    [[nodiscard]] constexpr sim_time when(sim_time time) const noexcept {
        auto guess = time - time * parts_per_million / (million + parts_per_million);
        while (shown(guess) < time) { ++guess; }
        while (guess > sim_time::zero() && shown(guess - sim_time{1}) >= time) { --guess; }
        return guess;
    }
};

} // namespace holdfast::sim
