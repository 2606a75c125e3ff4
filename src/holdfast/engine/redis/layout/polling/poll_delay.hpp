#pragma once
// The delay after which a waiter without a message asks again.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::engine::redis {

/// The first of a client's waiters asks after `shortest` to twice that, or when the current hold
/// ends, if that is sooner; the others ask less often. Never longer than a second (P7), and random,
/// so that the clients do not all ask at once.
[[nodiscard]] inline base::duration poll_delay(std::int64_t pttl, std::size_t ahead,
                                               base::milliseconds shortest, base::jitter& jitter) {
    if (ahead > 0) { shortest = base::milliseconds{475}; }
    const auto range = static_cast<std::uint64_t>(base::duration{shortest}.count());
    base::duration delay =
        shortest + base::duration{static_cast<base::duration::rep>(jitter.below(range))};
    if (pttl >= 0 && ahead == 0) {
        delay = std::min<base::duration>(delay, base::milliseconds{pttl + 1});
    }
    return delay;
}

} // namespace holdfast::engine::redis
