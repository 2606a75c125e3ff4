// The plain layout, which others share: beside hiredis that does the same two commands.

#include "redis/crowd_rate.hpp"
#include "redis/figures.hpp"
#include "redis/floors.hpp"
#include "redis/plain_floors.hpp"
#include "redis/seam.hpp"

#include <holdfast/holdfast.hpp>

#include <memory>

namespace holdfast::bench::redis {

namespace {

constexpr const char* cheapest = "(a) SET NX PX + EVALSHA";
constexpr const char* same = "hiredis, the same commands";

std::string plain_url(const stage& on) { return on.at.url() + "?layout=plain"; }

std::string name_of(const char* what, placement where) {
    return "plain layout, " + std::string{what} + ", " + std::string{text(where)};
}

} // namespace

std::vector<result> plain_one_thread(const stage& on, placement where) {
    constexpr double bar = 0.97;
    place(where, on.at.pid());
    plain_lock least{on.at.port(), "plain"};
    plain_commands floor{on.at.port(), "floor"};
    client fleet{plain_url(on)};
    mutex lock{fleet, "ours"};

    const auto window = on.window();
    const auto told = take_turns({[&] { return rate(window, [&] { least.cycle(); }); },
                                  [&] { return rate(window, [&] { floor.cycle(); }); },
                                  [&] {
                                      return rate(window, [&] {
                                          lock.lock();
                                          lock.unlock();
                                      });
                                  }},
                                 on.rounds());
    result out{.name = name_of("one thread", where),
               .unit = "cycles/s",
               .ours = told[2],
               .floor = same,
               .floors = told[1],
               .bar = where == placement::pinned ? bar : 0};
    auto beside = out;
    beside.floor = cheapest;
    beside.floors = told[0];
    beside.bar = 0;
    return {std::move(out), std::move(beside)};
}

std::vector<result> plain_many_threads(const stage& on, placement where) {
    constexpr std::size_t threads = 64;
    constexpr double bar = 1.5;
    place(where, on.at.pid());
    std::vector<std::unique_ptr<plain_commands>> floor;
    std::vector<std::unique_ptr<mutex>> locks;
    client fleet{plain_url(on)};
    for (std::size_t i = 0; i < threads; ++i) {
        const auto number = std::to_string(i);
        floor.push_back(std::make_unique<plain_commands>(on.at.port(), "floor" + number));
        locks.push_back(std::make_unique<mutex>(fleet, "ours" + number));
    }
    const auto window = 2 * on.window();
    auto told = take_turns(
        {[&] { return crowd_rate(threads, window, [&](std::size_t i) { floor[i]->cycle(); }); },
         [&] {
             return crowd_rate(threads, window, [&](std::size_t i) {
                 locks[i]->lock();
                 locks[i]->unlock();
             });
         }},
        on.rounds());
    return {{.name = name_of("64 threads", where),
             .unit = "cycles/s",
             .ours = std::move(told[1]),
             .floor = "the same on 64 connections",
             .floors = std::move(told[0]),
             .bar = where == placement::unpinned ? bar : 0}};
}

std::vector<result> plain_in_flight(const stage& on, placement where) {
    constexpr std::size_t depth = 64;
    constexpr double bar = 0.8;
    place(where, on.at.pid());
    plain_pipeline floor{on.at.port(), depth};
    seam ours{plain_url(on), depth};
    const auto window = on.window();
    auto told = take_turns({[&] { return rate(window, [&] { floor.step(); }) / 2; },
                            [&] { return rate(window, [&] { return ours.turn(); }); }},
                           on.rounds());
    return {{.name = name_of("64 in flight", where),
             .unit = "cycles/s",
             .ours = std::move(told[1]),
             .floor = "the same, 64 deep",
             .floors = std::move(told[0]),
             .bar = bar}};
}

} // namespace holdfast::bench::redis
