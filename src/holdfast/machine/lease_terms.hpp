#pragma once
// How long a hold lasts, and how much of that its holder may rely on.

#include "holdfast/base/clock.hpp"

#include <algorithm>

namespace holdfast::machine {

struct lease_terms {
    base::milliseconds lease{0};
    base::milliseconds margin{0};   ///< 0: the default for the lease
    base::milliseconds max_hold{0}; ///< 0: no limit
    bool renew = true;
};

/// P2: what clocks that differ by less than 1 % and timer grain may cost.
[[nodiscard]] constexpr base::duration drift(base::milliseconds lease) noexcept {
    return base::duration{lease} / 100 + base::milliseconds{2};
}

/// P2: the larger of 50 ms and a twentieth; a third for a lease too short for that.
[[nodiscard]] constexpr base::duration default_margin(base::milliseconds lease) noexcept {
    const base::duration usual =
        std::max<base::duration>(base::milliseconds{50}, base::duration{lease} / 20);
    return std::min(usual, base::duration{lease} / 3);
}

/// P2: N, the instant from which on a lease is no longer valid here. `sent` is the clock just
/// before the request that the engine granted or renewed it by: the engine counts from later on.
[[nodiscard]] constexpr base::instant valid_until(base::instant sent, base::milliseconds lease,
                                                  base::milliseconds margin) noexcept {
    const base::duration kept =
        margin > base::milliseconds{0} ? base::duration{margin} : default_margin(lease);
    return sent + lease - drift(lease) - kept;
}

/// Whether a margin that was asked for leaves enough of a lease; 0, the default, always does.
[[nodiscard]] constexpr bool leaves_enough(base::milliseconds margin,
                                           base::milliseconds lease) noexcept {
    return margin < lease - margin; // margin * 2 could overflow
}

} // namespace holdfast::machine
