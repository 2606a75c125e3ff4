// 64 threads, each with a name of its own: acquire and release, both awaited.

#include "redis/crowd_rate.hpp"
#include "redis/figures.hpp"
#include "redis/floors.hpp"
#include "redis/pipelined.hpp"

#include <holdfast/holdfast.hpp>

#include <memory>

namespace holdfast::bench::redis {

namespace {

constexpr std::size_t thread_count = 64;
constexpr double bar = 1.4;
constexpr double pipelined_bar = 2;

std::vector<std::unique_ptr<mutex>> locks_of(const client& fleet, const std::string& name) {
    std::vector<std::unique_ptr<mutex>> out;
    for (std::size_t i = 0; i < thread_count; ++i) {
        out.push_back(std::make_unique<mutex>(fleet, name + std::to_string(i)));
    }
    return out;
}

} // namespace

std::vector<result> many_threads(const stage& on, placement where) {
    place(where, on.at.pid());
    std::vector<std::unique_ptr<plain_lock>> plain;
    for (std::size_t i = 0; i < thread_count; ++i) {
        plain.push_back(std::make_unique<plain_lock>(on.at.port(), "plain" + std::to_string(i)));
    }
    client fleet{on.at.url()};
    const auto locks = locks_of(fleet, "ours");
    const auto hasty = pipelined_client(on.at.url());

    const auto window = 2 * on.window();
    const auto lock_and_unlock = [window](const std::vector<std::unique_ptr<mutex>>& of) {
        return crowd_rate(thread_count, window, [&of](std::size_t i) {
            of[i]->lock();
            of[i]->unlock();
        });
    };
    std::vector<contender_round> all{
        [&] { return crowd_rate(thread_count, window, [&](std::size_t i) { plain[i]->cycle(); }); },
        [&] { return lock_and_unlock(locks); },
    };
    const auto hasty_locks =
        hasty ? locks_of(*hasty, "hasty") : std::vector<std::unique_ptr<mutex>>{};
    if (hasty) {
        all.emplace_back([&] { return lock_and_unlock(hasty_locks); });
    }
    const auto told = take_turns(all, on.rounds());

    const bool judged = where == placement::unpinned;
    std::vector<result> out{{.name = "64 threads, " + std::string{text(where)},
                             .unit = "cycles/s",
                             .ours = told[1],
                             .floor = "(b) = (a) on 64 connections",
                             .floors = told[0],
                             .bar = judged ? bar : 0}};
    if (hasty) {
        out.push_back(out.front());
        out.back().name += ", release pipelined";
        out.back().ours = told[2];
        out.back().bar = judged ? pipelined_bar : 0;
    }
    return out;
}

} // namespace holdfast::bench::redis
