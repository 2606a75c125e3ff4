#pragma once
// When a waiter that gets no message should ask again.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::engine::redis {

/// The first of a client's waiters asks after `least` to twice that, or when the hold in the way
/// ends, if that is sooner; the others ask more rarely. Never longer than a second (P7),
/// and at random, so that the clients do not all come at once.
[[nodiscard]] inline base::duration poll_delay(std::int64_t pttl, std::size_t ahead,
                                               base::milliseconds least, base::jitter& chance) {
    if (ahead > 0) { least = base::milliseconds{475}; }
    const auto more = static_cast<std::uint64_t>(base::duration{least}.count());
    base::duration in =
        least + base::duration{static_cast<base::duration::rep>(chance.below(more))};
    if (pttl >= 0 && ahead == 0) {
        in = std::min<base::duration>(in, base::milliseconds{pttl + 1});
    }
    return in;
}

} // namespace holdfast::engine::redis
