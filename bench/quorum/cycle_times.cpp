#include "quorum/cycle_times.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::bench::quorum {

namespace {

/// The times of the cycles of one round, in order.
std::vector<double> run_round(const std::function<void()>& cycle, redis::seconds window) {
    using clock = std::chrono::steady_clock;
    std::vector<double> out;
    const auto start = clock::now();
    auto before = start;
    do {
        cycle();
        const auto after = clock::now();
        out.push_back(std::chrono::duration<double, std::micro>{after - before}.count());
        before = after;
    } while (before - start < window);
    std::sort(out.begin(), out.end());
    return out;
}

double percentile(const std::vector<double>& sorted, double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

} // namespace

std::vector<cycle_times> time_cycles(const std::vector<std::function<void()>>& cycles,
                                     redis::seconds window, int rounds) {
    std::vector<cycle_times> out(cycles.size());
    std::vector<redis::contender_round> contenders;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        contenders.emplace_back([&out, &cycles, window, i] {
            const auto times = run_round(cycles[i], window);
            out[i].p99s.push_back(percentile(times, 0.99));
            return percentile(times, 0.5);
        });
    }
    auto medians = redis::take_turns(contenders, rounds);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        out[i].medians = std::move(medians[i]);
        out[i].p99s.erase(out[i].p99s.begin()); // of the round that warms up
    }
    return out;
}

} // namespace holdfast::bench::quorum
