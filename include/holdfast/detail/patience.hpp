#pragma once
// How long a caller is willing to wait, from any std::chrono duration or time point.

#include <chrono>

namespace holdfast::detail {

struct patience {
    std::chrono::nanoseconds at_most{0}; ///< 0: one try; max(): for ever

    [[nodiscard]] static constexpr patience none() noexcept { return {}; }
    [[nodiscard]] static constexpr patience forever() noexcept {
        return {std::chrono::nanoseconds::max()};
    }

    template <class Rep, class Period>
    [[nodiscard]] static constexpr patience of(const std::chrono::duration<Rep, Period>& wait) {
        using floating = std::chrono::duration<double, std::nano>;
        // A century is for ever, and 100 years in ns still fit: compare before converting.
        constexpr std::chrono::hours century{24L * 365 * 100};
        if (wait <= wait.zero()) { return none(); }
        if (floating{wait} >= floating{century}) { return forever(); }
        return {std::chrono::ceil<std::chrono::nanoseconds>(wait)};
    }

    template <class Clock, class Duration>
    [[nodiscard]] static patience until(const std::chrono::time_point<Clock, Duration>& when) {
        const auto now = Clock::now();
        return when <= now ? none() : of(when - now); // the difference of a past one may overflow
    }
};

} // namespace holdfast::detail
