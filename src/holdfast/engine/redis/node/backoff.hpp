#pragma once
// How long to wait before the next attempt to connect.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

/// Doubles from `first` to `most`, each time with half of it at random, so that the clients of a
/// server that was restarted do not all come at once.
class backoff {
public:
    explicit backoff(std::uint64_t seed) noexcept : chance_{seed} {}

    [[nodiscard]] base::duration next() noexcept {
        const auto whole = static_cast<std::uint64_t>(base::duration{now_}.count());
        now_ = std::min(now_ * 2, most);
        return base::duration{
            static_cast<base::duration::rep>(whole / 2 + chance_.below(whole / 2))};
    }
    void reset() noexcept { now_ = first; }

private:
    static constexpr base::milliseconds first{20};
    static constexpr base::milliseconds most{1000};

    base::jitter chance_;
    base::milliseconds now_ = first;
};

} // namespace holdfast::engine::redis
