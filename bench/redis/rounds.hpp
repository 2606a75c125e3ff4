#pragma once
// Rounds in which contenders take turns, and what comes of them.

#include <chrono>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace holdfast::bench::redis {

using seconds = std::chrono::duration<double>;

/// How often `cycle` ends within a second, tried for so long. One that answers a number has ended
/// that often.
template <class Cycle>
double rate(seconds window, Cycle cycle) {
    using clock = std::chrono::steady_clock;
    constexpr int at_once = 8; // reading the clock is not what is measured
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

/// One round of a contender; answers the figure that came of it.
using contender_round = std::function<double()>;

enum class warm_up { yes, no };

/// All contenders in turn, round after round, each time beginning with another, so that whatever
/// else the machine does falls on all of them alike; if wanted, after a round that does not count.
/// For each contender its figures, one per round.
[[nodiscard]] std::vector<std::vector<double>> take_turns(const std::vector<contender_round>& all,
                                                          int rounds, warm_up first = warm_up::yes);

} // namespace holdfast::bench::redis
