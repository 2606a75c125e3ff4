#pragma once
// All measurements, by name.

#include "redis/placement.hpp"
#include "redis/results.hpp"
#include "redis/rounds.hpp"
#include "redis/server.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench::redis {

struct bench_setup {
    const redis::server& server;
    bool quick = false;

    [[nodiscard]] int rounds() const noexcept { return quick ? 5 : 21; }
    [[nodiscard]] seconds window() const noexcept { return seconds{quick ? 0.05 : 0.2}; }

    // Many waiters take long to set up, and each of them must have many turns.
    [[nodiscard]] int crowd_rounds(std::size_t size) const noexcept {
        return quick ? 1 : size > 500 ? 3 : 5;
    }
    [[nodiscard]] seconds crowd_window(std::size_t size) const noexcept {
        return seconds{quick ? 0.5 : size > 500 ? 5 : size > 100 ? 2 : 1};
    }
};

struct measurement {
    std::string name; ///< --only matches it
    std::function<std::vector<result>(const bench_setup&)> measure;
};

[[nodiscard]] std::vector<measurement> all_figures();

// One function per kind of figure.
[[nodiscard]] std::vector<result> one_thread(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> many_threads(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> in_flight(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> plain_one_thread(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> plain_many_threads(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> plain_in_flight(const bench_setup& setup, placement placement);
[[nodiscard]] std::vector<result> looping_waiters(const bench_setup& setup, std::size_t size);
[[nodiscard]] std::vector<result> convoy(const bench_setup& setup, std::size_t size);
[[nodiscard]] std::vector<result> commands_per_hand_off(const bench_setup& setup, std::size_t size);
[[nodiscard]] std::vector<result> many_leases(const bench_setup& setup);

} // namespace holdfast::bench::redis
