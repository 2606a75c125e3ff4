#pragma once
// The pause before the next attempt to connect.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

/// Doubles from `first` to `longest`; half of it is random, so that the clients of a restarted
/// server do not all connect at once.
class backoff {
public:
    explicit backoff(std::uint64_t seed) noexcept : jitter_{seed} {}

    [[nodiscard]] base::duration next() noexcept {
        const auto whole = static_cast<std::uint64_t>(base::duration{delay_}.count());
        delay_ = std::min(delay_ * 2, longest);
        return base::duration{
            static_cast<base::duration::rep>(whole / 2 + jitter_.below(whole / 2))};
    }
    void reset() noexcept { delay_ = first; }

private:
    static constexpr base::milliseconds first{20};
    static constexpr base::milliseconds longest{1000};

    base::jitter jitter_;
    base::milliseconds delay_ = first;
};

} // namespace holdfast::engine::redis
