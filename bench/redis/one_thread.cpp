// One thread, a lock that nobody else wants: acquire and release, both awaited.

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

bars bars_at(placement where) noexcept {
    switch (where) {
    case placement::pinned: return {.scripts = 0.97, .plain = 0.75, .pipelined = 1.05};
    case placement::split: return {.plain = 1.5};
    case placement::unpinned: return {};
    }
    return {};
}

} // namespace

std::vector<result> one_thread(const stage& on, placement where) {
    place(where, on.at.pid());
    plain_lock plain{on.at.port(), "plain"};
    script_lock scripts{on.at.port(), "scripts"};
    client fleet{on.at.url()};
    mutex lock{fleet, "ours"};
    const auto hasty = pipelined_client(on.at.url());
    std::optional<mutex> hasty_lock;
    if (hasty) { hasty_lock.emplace(*hasty, "hasty"); }

    const auto window = on.window();
    const auto lock_and_unlock = [window](mutex& one) {
        return rate(window, [&one] {
            one.lock();
            one.unlock();
        });
    };
    std::vector<contender_round> all{
        [&] { return rate(window, [&] { plain.cycle(); }); },
        [&] { return rate(window, [&] { scripts.cycle(); }); },
        [&] { return lock_and_unlock(lock); },
    };
    if (hasty_lock) {
        all.emplace_back([&] { return lock_and_unlock(*hasty_lock); });
    }
    const auto told = take_turns(all, on.rounds());

    const auto name = "one thread, " + std::string{text(where)};
    const auto bar = bars_at(where);
    std::vector<result> out{
        {.name = name,
         .unit = "cycles/s",
         .ours = told[2],
         .floor = "hiredis, our scripts",
         .floors = told[1],
         .bar = bar.scripts},
        {.name = name,
         .unit = "cycles/s",
         .ours = told[2],
         .floor = plain_floor,
         .floors = told[0],
         .bar = bar.plain},
        {.name = "  hiredis, our scripts",
         .unit = "cycles/s",
         .ours = told[1],
         .floor = plain_floor,
         .floors = told[0]},
    };
    if (hasty_lock) {
        out.push_back({.name = name + ", release pipelined",
                       .unit = "cycles/s",
                       .ours = told[3],
                       .floor = plain_floor,
                       .floors = told[0],
                       .bar = bar.pipelined});
    }
    return out;
}

} // namespace holdfast::bench::redis
