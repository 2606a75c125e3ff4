// Two of five servers do not answer: a cycle, compared with one on five servers that do.

#include "quorum/cycle_times.hpp"
#include "quorum/figures.hpp"
#include "quorum/server_set.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>

namespace holdfast::bench::quorum {

namespace {

constexpr double bar = 1.5;
constexpr const char* healthy_floor = "ours, all five answer";

template <class Break>
std::vector<redis::result> compare(const bench_setup& setup, const std::string& name,
                                   Break break_minority) {
    const server_set healthy;
    server_set broken;
    healthy.unpin();
    broken.unpin();
    client healthy_fleet{healthy.url()};
    client broken_fleet{broken.url()};
    mutex healthy_lock{healthy_fleet, "ours"};
    mutex broken_lock{broken_fleet, "ours"};
    const auto cycle = [](mutex& lock) {
        lock.lock();
        lock.unlock();
    };
    cycle(broken_lock); // connected to all five
    break_minority(broken);

    // Long enough for several of the requests that test whether a node is back.
    const auto window = std::max(setup.window(), redis::seconds{0.2});
    const auto times = time_cycles({[&] { cycle(healthy_lock); }, [&] { cycle(broken_lock); }},
                                   window, setup.rounds());
    return {{.name = name,
             .unit = "us",
             .ours = times[1].medians,
             .floor = healthy_floor,
             .floors = times[0].medians,
             .bar = bar,
             .at_most = true},
            {.name = name + ", p99",
             .unit = "us",
             .ours = times[1].p99s,
             .floor = healthy_floor,
             .floors = times[0].p99s}};
}

} // namespace

std::vector<redis::result> killed_minority(const bench_setup& setup) {
    return compare(setup, "cycle, two of five killed",
                   [](server_set& servers) { servers.kill_minority(); });
}

std::vector<redis::result> frozen_minority(const bench_setup& setup) {
    return compare(setup, "cycle, two of five frozen",
                   [](server_set& servers) { servers.freeze_minority(); });
}

} // namespace holdfast::bench::quorum
