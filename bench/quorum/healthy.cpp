// One thread and an uncontended lock on five servers that all answer.

#include "quorum/cycle_times.hpp"
#include "quorum/figures.hpp"
#include "quorum/floors.hpp"

#include <holdfast/holdfast.hpp>

namespace holdfast::bench::quorum {

namespace {

constexpr double bar = 1.1;
constexpr const char* at_once = "hiredis, all five at once";
constexpr const char* one_by_one = "hiredis, one by one";

template <class Requests>
std::vector<redis::result> compare(const bench_setup& setup, const std::string& name,
                                   const std::string& query) {
    const server_set servers;
    servers.unpin();
    floor_lock<Requests> floor{servers.ports(), "floor"};
    floor_lock<Requests> slow_floor{servers.ports(), "slow"};
    client fleet{servers.url(query)};
    mutex lock{fleet, "ours"};

    const auto times =
        time_cycles({[&] { floor.cycle_at_once(); }, [&] { slow_floor.cycle_one_by_one(); },
                     [&] {
                         lock.lock();
                         lock.unlock();
                     }},
                    setup.window(), setup.rounds());
    const auto& ours = times[2];
    return {{.name = name,
             .unit = "us",
             .ours = ours.medians,
             .floor = at_once,
             .floors = times[0].medians,
             .bar = bar,
             .at_most = true},
            {.name = name,
             .unit = "us",
             .ours = ours.medians,
             .floor = one_by_one,
             .floors = times[1].medians},
            {.name = name + ", p99",
             .unit = "us",
             .ours = ours.p99s,
             .floor = at_once,
             .floors = times[0].p99s},
            {.name = name + ", p99",
             .unit = "us",
             .ours = ours.p99s,
             .floor = one_by_one,
             .floors = times[1].p99s}};
}

} // namespace

std::vector<redis::result> native_cycle(const bench_setup& setup) {
    return compare<native_requests>(setup, "cycle on five nodes", "");
}

std::vector<redis::result> plain_cycle(const bench_setup& setup) {
    return compare<plain_requests>(setup, "plain layout, cycle on five nodes", "&layout=plain");
}

} // namespace holdfast::bench::quorum
