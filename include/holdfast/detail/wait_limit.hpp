#pragma once
// How long a call may wait, from any std::chrono duration or time point.

#include <chrono>

namespace holdfast::detail {

struct wait_limit {
    std::chrono::nanoseconds at_most{0}; ///< 0: one attempt; max(): no limit

    [[nodiscard]] static constexpr wait_limit none() noexcept { return {}; }
    [[nodiscard]] static constexpr wait_limit unlimited() noexcept {
        return {std::chrono::nanoseconds::max()};
    }

    template <class Rep, class Period>
    [[nodiscard]] static constexpr wait_limit from(const std::chrono::duration<Rep, Period>& wait) {
        using floating = std::chrono::duration<double, std::nano>;
        // A century counts as no limit. It still fits in nanoseconds: compare before converting.
        constexpr std::chrono::hours century{24L * 365 * 100};
        if (wait <= wait.zero()) { return none(); }
        if (floating{wait} >= floating{century}) { return unlimited(); }
        return {std::chrono::ceil<std::chrono::nanoseconds>(wait)};
    }

    template <class Clock, class Duration>
    [[nodiscard]] static wait_limit
    until(const std::chrono::time_point<Clock, Duration>& deadline) {
        const auto now = Clock::now();
        // The difference to a deadline that is long past may overflow.
        return deadline <= now ? none() : from(deadline - now);
    }
};

} // namespace holdfast::detail
