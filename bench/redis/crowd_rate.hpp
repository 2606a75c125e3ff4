#pragma once
// The throughput of many threads together.

#include "redis/rounds.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

namespace holdfast::bench::redis {

/// Cycles per second of all threads together, after a warm-up of half a window, in which the kernel
/// distributes them over the cpus. Thread i runs `cycle(i)`.
template <class Cycle>
double crowd_rate(std::size_t threads_in_all, seconds window, const Cycle& cycle) {
    struct alignas(64) counter {
        std::atomic<long> done{0};
    };
    std::vector<counter> counters(threads_in_all);
    const auto total = [&counters] {
        long sum = 0;
        for (const auto& counter : counters) {
            sum += counter.done.load(std::memory_order_relaxed);
        }
        return sum;
    };
    std::atomic<bool> stop{false};
    std::latch begin{static_cast<std::ptrdiff_t>(threads_in_all) + 1};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < threads_in_all; ++i) {
        threads.emplace_back([&, i] {
            begin.arrive_and_wait();
            for (long done = 1; !stop.load(std::memory_order_relaxed); ++done) {
                cycle(i);
                counters[i].done.store(done, std::memory_order_relaxed);
            }
        });
    }
    begin.arrive_and_wait();
    std::this_thread::sleep_for(window / 2);
    const auto start = std::chrono::steady_clock::now();
    const auto before = total();
    std::this_thread::sleep_for(window);
    const auto after = total();
    const seconds passed = std::chrono::steady_clock::now() - start;
    stop = true;
    threads.clear();
    return static_cast<double>(after - before) / passed.count();
}

} // namespace holdfast::bench::redis
