// One thread that has 64 holds on their way at once, through the engine's own interface.

#include "redis/figures.hpp"
#include "redis/floors.hpp"
#include "redis/seam.hpp"

namespace holdfast::bench::redis {

std::vector<result> in_flight(const stage& on, placement where) {
    constexpr std::size_t depth = 64;
    constexpr double bar = 0.8;
    place(where, on.at.pid());
    script_pipeline floor{on.at.port(), depth};
    seam ours{on.at.url(), depth};

    const auto window = on.window();
    const auto told = take_turns({
                                     [&] { return rate(window, [&] { floor.step(); }) / 2; },
                                     [&] { return rate(window, [&] { return ours.turn(); }); },
                                 },
                                 on.rounds());
    return {{.name = "64 in flight, " + std::string{text(where)},
             .unit = "cycles/s",
             .ours = told[1],
             .floor = "(c) our scripts, 64 deep",
             .floors = told[0],
             .bar = bar}};
}

} // namespace holdfast::bench::redis
