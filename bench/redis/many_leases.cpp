// 100,000 leases that one process holds and renews: what that costs it.

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
constexpr std::size_t takers = 16;
constexpr double usual_lease = 30; // seconds

struct memory {
    double heap = 0; ///< what was asked for, and malloc's own share of it
    double resident = 0;
};

memory memory_now() {
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
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

/// By some threads at once, since one would wait for each answer.
void take_all(const client& fleet, std::vector<lease>& out, std::chrono::milliseconds lasting) {
    std::vector<std::jthread> threads;
    for (std::size_t first = 0; first < takers; ++first) {
        threads.emplace_back([&fleet, &out, lasting, first] {
            for (auto i = first; i < out.size(); i += takers) {
                out[i] = mutex{fleet, "lease:" + std::to_string(i)}.acquire({.lease = lasting});
            }
        });
    }
}

} // namespace

std::vector<result> many_leases(const stage& on) {
    constexpr double cpu_bar = 5;
    constexpr double memory_bar = 600;
    place(placement::unpinned, on.at.pid());
    // Each lease is renewed twice while we look. A short look needs short leases: what they cost is
    // then reckoned for the usual ones.
    const seconds look{on.quick ? 6 : 20};
    const seconds lasting = look * 1.5;
    const auto lease_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lasting);

    client fleet{on.at.url()};
    std::vector<lease> leases(takers);
    take_all(fleet, leases, lease_ms); // buffers and threads do not count
    leases.clear();
    leases.resize(lease_count);
    const auto before = memory_now();
    take_all(fleet, leases, lease_ms);
    const auto after = memory_now();

    const auto start = std::chrono::steady_clock::now();
    const auto used_before = cpu_seconds();
    std::this_thread::sleep_for(look);
    const auto used = cpu_seconds() - used_before;
    const seconds passed = std::chrono::steady_clock::now() - start;
    const auto old = static_cast<double>(std::ranges::count_if(
        leases, [&](const lease& one) { return one.remaining() < lasting / 2; }));

    const auto each = [](double bytes) { return bytes / static_cast<double>(lease_count); };
    const std::string name = "100,000 leases of 30 s";
    return {{.name = name + (on.quick ? ", cpu (from 9 s)" : ", cpu"),
             .unit = "% of core",
             .ours = {100 * used / passed.count() * lasting.count() / usual_lease},
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
            // Of a lease that was not renewed less than a third is left by now.
            {.name = name + ", not renewed", .unit = "leases", .ours = {old}}};
}

} // namespace holdfast::bench::redis
