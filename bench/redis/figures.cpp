#include "redis/figures.hpp"

namespace holdfast::bench::redis {

std::vector<figure_of> all_figures() {
    std::vector<figure_of> out;
    const auto at_each_placement = [&out](const std::string& name, auto measure) {
        for (const auto where : {placement::pinned, placement::split, placement::unpinned}) {
            out.push_back({name + ", " + std::string{text(where)},
                           [=](const stage& on) { return measure(on, where); }});
        }
    };
    at_each_placement("one thread", one_thread);
    at_each_placement("64 threads", many_threads);
    at_each_placement("64 in flight", in_flight);
    return out;
}

} // namespace holdfast::bench::redis
