#pragma once
// Times of the wall clock, as records store them: microseconds since 1970. A record that is damaged
// or forged may have any number.

#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace holdfast::engine {

/// The nearest that `std::chrono::system_clock` can express.
[[nodiscard]] inline std::chrono::microseconds stored_time(std::int64_t us) noexcept {
    constexpr auto last =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::duration::max());
    return std::chrono::microseconds{std::clamp(us, std::int64_t{0}, std::int64_t{last.count()})};
}

/// How long ago a stored time is; never negative.
[[nodiscard]] inline base::milliseconds stored_age(std::int64_t since, std::int64_t now) noexcept {
    const auto age = stored_time(now) - stored_time(since);
    return std::max(std::chrono::duration_cast<base::milliseconds>(age), base::milliseconds{0});
}

} // namespace holdfast::engine
