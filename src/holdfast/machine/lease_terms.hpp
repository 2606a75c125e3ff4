#pragma once
// The durations of a lease, and the arithmetic of its deadline N.

#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <optional>

namespace holdfast::machine {

struct lease_terms {
    base::milliseconds lease{0};
    base::milliseconds margin{0};   ///< 0: the default for the lease
    base::milliseconds max_hold{0}; ///< 0: no limit
    bool renew = true;
    std::optional<base::milliseconds> drift{}; ///< unset: the default for the lease
};

/// P2: allowance for clocks whose rates differ by less than 1 %, and for timer granularity.
[[nodiscard]] constexpr base::duration drift(base::milliseconds lease) noexcept {
    return base::duration{lease} / 100 + base::milliseconds{2};
}

/// P2: the larger of 50 ms and a twentieth of the lease, but at most a third of it.
[[nodiscard]] constexpr base::duration default_margin(base::milliseconds lease) noexcept {
    const base::duration usual =
        std::max<base::duration>(base::milliseconds{50}, base::duration{lease} / 20);
    return std::min(usual, base::duration{lease} / 3);
}

/// P2: the deadline N, from which on the lease is no longer valid on this side. `sent` is the clock
/// just before the request was sent that the engine granted or renewed; the engine counts from a
/// later instant.
[[nodiscard]] constexpr base::instant
valid_until(base::instant sent, base::milliseconds lease, base::milliseconds margin,
            std::optional<base::milliseconds> own_drift = {}) noexcept {
    const base::duration safety =
        margin > base::milliseconds{0} ? base::duration{margin} : default_margin(lease);
    const base::duration allowance = own_drift ? base::duration{*own_drift} : drift(lease);
    return sent + lease - allowance - safety;
}

/// Whether a margin leaves more than half of the lease; 0, the default margin, always does.
[[nodiscard]] constexpr bool leaves_enough(base::milliseconds margin,
                                           base::milliseconds lease) noexcept {
    return margin < lease - margin; // margin * 2 could overflow
}

} // namespace holdfast::machine
