// The cost of 100,000 leases that one process holds and renews.

#include "redis/figures.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace holdfast::bench::redis {

namespace {

constexpr std::size_t lease_count = 100'000;
constexpr std::size_t thread_count = 16;
constexpr double usual_lease = 30; // seconds

struct memory_use {
    double heap = 0; ///< allocated, with malloc's overhead
    double resident = 0;
};

memory_use current_memory() {
    const auto heap = ::mallinfo2();
    std::size_t pages = 0;
    std::size_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> pages >> resident;
    return {static_cast<double>(heap.uordblks + heap.hblkhd),
            static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto to_seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return to_seconds(used.ru_utime) + to_seconds(used.ru_stime);
}

/// With several threads, because each waits for its reply.
void acquire_all(const client& fleet, std::vector<lease>& out, std::chrono::milliseconds duration) {
    std::vector<std::jthread> threads;
    for (std::size_t first = 0; first < thread_count; ++first) {
        threads.emplace_back([&fleet, &out, duration, first] {
            for (auto i = first; i < out.size(); i += thread_count) {
                out[i] = mutex{fleet, "lease:" + std::to_string(i)}.acquire({.lease = duration});
            }
        });
    }
}

} // namespace

std::vector<result> many_leases(const bench_setup& setup) {
    constexpr double cpu_bar = 5;
    constexpr double memory_bar = 600;
    place(placement::unpinned, setup.server.pid());
    // Each lease is renewed twice during the observation. A short observation needs short leases;
    // the result is scaled to the usual lease.
    const seconds observation{setup.quick ? 6 : 20};
    const seconds duration = observation * 1.5;
    const auto lease_ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration);

    client fleet{setup.server.url()};
    std::vector<lease> leases(thread_count);
    acquire_all(fleet, leases, lease_ms); // buffers and threads do not count
    leases.clear();
    leases.resize(lease_count);
    const auto before = current_memory();
    acquire_all(fleet, leases, lease_ms);
    const auto after = current_memory();

    const auto start = std::chrono::steady_clock::now();
    const auto used_before = cpu_seconds();
    std::this_thread::sleep_for(observation);
    const auto used = cpu_seconds() - used_before;
    const seconds passed = std::chrono::steady_clock::now() - start;
    const auto not_renewed = static_cast<double>(std::ranges::count_if(
        leases, [&](const lease& held_lease) { return held_lease.remaining() < duration / 2; }));

    const auto each = [](double bytes) { return bytes / static_cast<double>(lease_count); };
    const std::string name = "100,000 leases of 30 s";
    return {{.name = name + (setup.quick ? ", cpu (from 9 s)" : ", cpu"),
             .unit = "% of core",
             .ours = {100 * used / passed.count() * duration.count() / usual_lease},
             .bar = cpu_bar,
             .at_most = true},
            {.name = name + ", heap each",
             .unit = "bytes",
             .ours = {each(after.heap - before.heap)},
             .bar = memory_bar,
             .at_most = true},
            {.name = name + ", resident each",
             .unit = "bytes",
             .ours = {each(after.resident - before.resident)},
             .bar = memory_bar,
             .at_most = true},
            // A lease that was not renewed has less than a third of its time left.
            {.name = name + ", not renewed", .unit = "leases", .ours = {not_renewed}}};
}

} // namespace holdfast::bench::redis
