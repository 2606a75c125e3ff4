#pragma once
// Rounds in which contenders take turns, and their figures.

#include <chrono>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace holdfast::bench::redis {

using seconds = std::chrono::duration<double>;

/// Cycles per second, measured for `window`. If `cycle` returns a number, it counts as that many.
template <class Cycle>
double rate(seconds window, Cycle cycle) {
    using clock = std::chrono::steady_clock;
    constexpr int at_once = 8; // cycles per reading of the clock
    const auto start = clock::now();
    std::uint64_t done = 0;
    seconds passed{0};
    do {
        for (int i = 0; i < at_once; ++i) {
            if constexpr (std::is_void_v<decltype(cycle())>) {
                cycle();
                ++done;
            } else {
                done += cycle();
            }
        }
        passed = clock::now() - start;
    } while (passed < window);
    return static_cast<double>(done) / passed.count();
}

/// Runs one round of a contender and returns its figure.
using contender_round = std::function<double()>;

enum class warm_up { yes, no };

/// Runs all contenders in turn, round after round, each time beginning with another, so that other
/// load on the machine affects all of them alike. `first` adds a round that does not count. Returns
/// for each contender its figures, one per round.
[[nodiscard]] std::vector<std::vector<double>> take_turns(const std::vector<contender_round>& all,
                                                          int rounds, warm_up first = warm_up::yes);

} // namespace holdfast::bench::redis
