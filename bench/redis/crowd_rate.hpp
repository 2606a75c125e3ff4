#pragma once
// What many threads get done together.

#include "redis/rounds.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

namespace holdfast::bench::redis {

/// Cycles per second of all threads together. `cycle(i)` is the i-th thread's.
template <class Cycle>
double crowd_rate(std::size_t threads_in_all, seconds window, const Cycle& cycle) {
    std::atomic<bool> stop{false};
    std::atomic<long> total{0};
    std::latch begin{static_cast<std::ptrdiff_t>(threads_in_all) + 1};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < threads_in_all; ++i) {
        threads.emplace_back([&, i] {
            begin.arrive_and_wait();
            long done = 0;
            for (; !stop.load(std::memory_order_relaxed); ++done) { cycle(i); }
            total += done;
        });
    }
    begin.arrive_and_wait();
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(window);
    stop = true;
    threads.clear();
    const seconds passed = std::chrono::steady_clock::now() - start;
    return static_cast<double>(total) / passed.count();
}

} // namespace holdfast::bench::redis
