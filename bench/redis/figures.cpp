#include "redis/figures.hpp"

namespace holdfast::bench::redis {

std::vector<measurement> all_figures() {
    std::vector<measurement> out;
    const auto at_each_placement = [&out](const std::string& name, auto measure) {
        for (const auto placement : {placement::pinned, placement::split, placement::unpinned}) {
            out.push_back({name + ", " + std::string{text(placement)},
                           [=](const bench_setup& setup) { return measure(setup, placement); }});
        }
    };
    at_each_placement("one thread", one_thread);
    at_each_placement("64 threads", many_threads);
    at_each_placement("64 in flight", in_flight);
    at_each_placement("plain layout, one thread", plain_one_thread);
    at_each_placement("plain layout, 64 threads", plain_many_threads);
    at_each_placement("plain layout, 64 in flight", plain_in_flight);
    const auto for_each_crowd = [&out](const std::string& name, auto measure) {
        for (const auto size : std::initializer_list<std::size_t>{8, 64, 256, 1'000}) {
            out.push_back({name + ", " + std::to_string(size),
                           [=](const bench_setup& setup) { return measure(setup, size); }});
        }
    };
    for_each_crowd("waiters", looping_waiters);
    for_each_crowd("convoy", convoy);
    for_each_crowd("commands", commands_per_hand_off);
    out.push_back({"leases", many_leases});
    return out;
}

} // namespace holdfast::bench::redis
