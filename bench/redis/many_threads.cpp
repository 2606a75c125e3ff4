// 64 threads, each with its own lock: acquire and release, both awaited.

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

std::vector<result> many_threads(const bench_setup& setup, placement placement) {
    place(placement, setup.server.pid());
    std::vector<std::unique_ptr<plain_lock>> plain;
    for (std::size_t i = 0; i < thread_count; ++i) {
        plain.push_back(
            std::make_unique<plain_lock>(setup.server.port(), "plain" + std::to_string(i)));
    }
    client fleet{setup.server.url()};
    const auto locks = locks_of(fleet, "ours");
    const auto pipelined = pipelined_client(setup.server.url());

    const auto window = 2 * setup.window();
    const auto lock_and_unlock = [window](const std::vector<std::unique_ptr<mutex>>& tested) {
        return crowd_rate(thread_count, window, [&tested](std::size_t i) {
            tested[i]->lock();
            tested[i]->unlock();
        });
    };
    std::vector<contender_round> contenders{
        [&] { return crowd_rate(thread_count, window, [&](std::size_t i) { plain[i]->cycle(); }); },
        [&] { return lock_and_unlock(locks); },
    };
    const auto pipelined_locks =
        pipelined ? locks_of(*pipelined, "piped") : std::vector<std::unique_ptr<mutex>>{};
    if (pipelined) {
        contenders.emplace_back([&] { return lock_and_unlock(pipelined_locks); });
    }
    const auto figures = take_turns(contenders, setup.rounds());

    const bool judged = placement == placement::unpinned;
    std::vector<result> out{{.name = "64 threads, " + std::string{text(placement)},
                             .unit = "cycles/s",
                             .ours = figures[1],
                             .floor = "(b) = (a) on 64 connections",
                             .floors = figures[0],
                             .bar = judged ? bar : 0}};
    if (pipelined) {
        out.push_back(out.front());
        out.back().name += ", release pipelined";
        out.back().ours = figures[2];
        out.back().bar = judged ? pipelined_bar : 0;
    }
    return out;
}

} // namespace holdfast::bench::redis
