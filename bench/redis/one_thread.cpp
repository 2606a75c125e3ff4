// One thread and an uncontended lock: acquire and release, both awaited.

#include "redis/figures.hpp"
#include "redis/floors.hpp"
#include "redis/pipelined.hpp"

#include <holdfast/holdfast.hpp>

namespace holdfast::bench::redis {

namespace {

constexpr const char* plain_floor = "(a) SET NX PX + EVALSHA";

struct bars {
    double scripts = 0;   ///< to hiredis with our scripts
    double plain = 0;     ///< to SET NX
    double pipelined = 0; ///< to SET NX, release not awaited
};

bars bars_at(placement placement) noexcept {
    switch (placement) {
    case placement::pinned: return {.scripts = 0.97, .plain = 0.75, .pipelined = 1.05};
    case placement::split: return {.plain = 1.5};
    case placement::unpinned: return {};
    }
    return {};
}

} // namespace

std::vector<result> one_thread(const bench_setup& setup, placement placement) {
    place(placement, setup.server.pid());
    plain_lock plain{setup.server.port(), "plain"};
    script_lock scripts{setup.server.port(), "scripts"};
    client fleet{setup.server.url()};
    mutex lock{fleet, "ours"};
    const auto pipelined = pipelined_client(setup.server.url());
    std::optional<mutex> pipelined_lock;
    if (pipelined) { pipelined_lock.emplace(*pipelined, "piped"); }

    const auto window = setup.window();
    const auto lock_and_unlock = [window](mutex& tested) {
        return rate(window, [&tested] {
            tested.lock();
            tested.unlock();
        });
    };
    std::vector<contender_round> contenders{
        [&] { return rate(window, [&] { plain.cycle(); }); },
        [&] { return rate(window, [&] { scripts.cycle(); }); },
        [&] { return lock_and_unlock(lock); },
    };
    if (pipelined_lock) {
        contenders.emplace_back([&] { return lock_and_unlock(*pipelined_lock); });
    }
    const auto figures = take_turns(contenders, setup.rounds());

    const auto name = "one thread, " + std::string{text(placement)};
    const auto bar = bars_at(placement);
    std::vector<result> out{
        {.name = name,
         .unit = "cycles/s",
         .ours = figures[2],
         .floor = "hiredis, our scripts",
         .floors = figures[1],
         .bar = bar.scripts},
        {.name = name,
         .unit = "cycles/s",
         .ours = figures[2],
         .floor = plain_floor,
         .floors = figures[0],
         .bar = bar.plain},
        {.name = "  hiredis, our scripts",
         .unit = "cycles/s",
         .ours = figures[1],
         .floor = plain_floor,
         .floors = figures[0]},
    };
    if (pipelined_lock) {
        out.push_back({.name = name + ", release pipelined",
                       .unit = "cycles/s",
                       .ours = figures[3],
                       .floor = plain_floor,
                       .floors = figures[0],
                       .bar = bar.pipelined});
    }
    return out;
}

} // namespace holdfast::bench::redis
