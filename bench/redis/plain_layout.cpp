// The plain layout, compared with hiredis and the same two commands.

#include "redis/crowd_rate.hpp"
#include "redis/engine_pipeline.hpp"
#include "redis/figures.hpp"
#include "redis/floors.hpp"
#include "redis/plain_floors.hpp"

#include <holdfast/holdfast.hpp>

#include <memory>

namespace holdfast::bench::redis {

namespace {

constexpr const char* cheapest = "(a) SET NX PX + EVALSHA";
constexpr const char* same = "hiredis, the same commands";

std::string plain_url(const bench_setup& setup) { return setup.server.url() + "?layout=plain"; }

std::string name_of(const char* scenario, placement placement) {
    return "plain layout, " + std::string{scenario} + ", " + std::string{text(placement)};
}

} // namespace

std::vector<result> plain_one_thread(const bench_setup& setup, placement placement) {
    constexpr double bar = 0.97;
    place(placement, setup.server.pid());
    plain_lock least{setup.server.port(), "plain"};
    plain_command_lock floor{setup.server.port(), "floor"};
    client fleet{plain_url(setup)};
    mutex lock{fleet, "ours"};

    const auto window = setup.window();
    const auto figures = take_turns({[&] { return rate(window, [&] { least.cycle(); }); },
                                     [&] { return rate(window, [&] { floor.cycle(); }); },
                                     [&] {
                                         return rate(window, [&] {
                                             lock.lock();
                                             lock.unlock();
                                         });
                                     }},
                                    setup.rounds());
    result out{.name = name_of("one thread", placement),
               .unit = "cycles/s",
               .ours = figures[2],
               .floor = same,
               .floors = figures[1],
               .bar = placement == placement::pinned ? bar : 0};
    auto beside = out;
    beside.floor = cheapest;
    beside.floors = figures[0];
    beside.bar = 0;
    return {std::move(out), std::move(beside)};
}

std::vector<result> plain_many_threads(const bench_setup& setup, placement placement) {
    constexpr std::size_t threads = 64;
    constexpr double bar = 1.5;
    place(placement, setup.server.pid());
    std::vector<std::unique_ptr<plain_command_lock>> floor;
    std::vector<std::unique_ptr<mutex>> locks;
    client fleet{plain_url(setup)};
    for (std::size_t i = 0; i < threads; ++i) {
        const auto number = std::to_string(i);
        floor.push_back(
            std::make_unique<plain_command_lock>(setup.server.port(), "floor" + number));
        locks.push_back(std::make_unique<mutex>(fleet, "ours" + number));
    }
    const auto window = 2 * setup.window();
    auto figures = take_turns(
        {[&] { return crowd_rate(threads, window, [&](std::size_t i) { floor[i]->cycle(); }); },
         [&] {
             return crowd_rate(threads, window, [&](std::size_t i) {
                 locks[i]->lock();
                 locks[i]->unlock();
             });
         }},
        setup.rounds());
    return {{.name = name_of("64 threads", placement),
             .unit = "cycles/s",
             .ours = std::move(figures[1]),
             .floor = "the same on 64 connections",
             .floors = std::move(figures[0]),
             .bar = placement == placement::unpinned ? bar : 0}};
}

std::vector<result> plain_in_flight(const bench_setup& setup, placement placement) {
    constexpr std::size_t depth = 64;
    constexpr double bar = 0.8;
    place(placement, setup.server.pid());
    plain_pipeline floor{setup.server.port(), depth};
    engine_pipeline ours{plain_url(setup), depth};
    const auto window = setup.window();
    auto figures = take_turns({[&] { return rate(window, [&] { floor.step(); }) / 2; },
                               [&] { return rate(window, [&] { return ours.step(); }); }},
                              setup.rounds());
    return {{.name = name_of("64 in flight", placement),
             .unit = "cycles/s",
             .ours = std::move(figures[1]),
             .floor = "the same, 64 deep",
             .floors = std::move(figures[0]),
             .bar = bar}};
}

} // namespace holdfast::bench::redis
