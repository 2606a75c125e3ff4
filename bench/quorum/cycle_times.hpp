#pragma once
// How long single cycles take.

#include "redis/rounds.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench::quorum {

/// A contender's figures in microseconds, one of each kind per round.
struct cycle_times {
    std::vector<double> medians;
    std::vector<double> p99s;
};

/// Runs all cycles in turn for `window` each, round after round. Returns the times in the order of
/// the cycles.
[[nodiscard]] std::vector<cycle_times> time_cycles(const std::vector<std::function<void()>>& cycles,
                                                   redis::seconds window, int rounds);

} // namespace holdfast::bench::quorum
