// One thread with 64 holds in flight, through the engine's interface.

#include "redis/engine_pipeline.hpp"
#include "redis/figures.hpp"
#include "redis/floors.hpp"

namespace holdfast::bench::redis {

std::vector<result> in_flight(const bench_setup& setup, placement placement) {
    constexpr std::size_t depth = 64;
    constexpr double bar = 0.8;
    place(placement, setup.server.pid());
    script_pipeline floor{setup.server.port(), depth};
    engine_pipeline ours{setup.server.url(), depth};

    const auto window = setup.window();
    const auto figures = take_turns({
                                        [&] { return rate(window, [&] { floor.step(); }) / 2; },
                                        [&] { return rate(window, [&] { return ours.step(); }); },
                                    },
                                    setup.rounds());
    return {{.name = "64 in flight, " + std::string{text(placement)},
             .unit = "cycles/s",
             .ours = figures[1],
             .floor = "(c) our scripts, 64 deep",
             .floors = figures[0],
             .bar = bar}};
}

} // namespace holdfast::bench::redis
