#pragma once
// What can be measured, by name.

#include "redis/placement.hpp"
#include "redis/results.hpp"
#include "redis/rounds.hpp"
#include "redis/server.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench::redis {

struct stage {
    const server& at;
    bool quick = false;

    [[nodiscard]] int rounds() const noexcept { return quick ? 5 : 21; }
    [[nodiscard]] seconds window() const noexcept { return seconds{quick ? 0.05 : 0.2}; }

    // Large crowds take a while to be set up, and each of them must have many turns.
    [[nodiscard]] int crowd_rounds(std::size_t size) const noexcept {
        return quick ? 1 : size > 500 ? 3 : 5;
    }
    [[nodiscard]] seconds crowd_window(std::size_t size) const noexcept {
        return seconds{quick ? 0.5 : size > 500 ? 5 : size > 100 ? 2 : 1};
    }
};

struct figure_of {
    std::string name; ///< what --only selects by
    std::function<std::vector<result>(const stage&)> measure;
};

[[nodiscard]] std::vector<figure_of> all_figures();

// One function per kind of figure.
[[nodiscard]] std::vector<result> one_thread(const stage& on, placement where);
[[nodiscard]] std::vector<result> many_threads(const stage& on, placement where);
[[nodiscard]] std::vector<result> in_flight(const stage& on, placement where);
[[nodiscard]] std::vector<result> plain_one_thread(const stage& on, placement where);
[[nodiscard]] std::vector<result> plain_many_threads(const stage& on, placement where);
[[nodiscard]] std::vector<result> plain_in_flight(const stage& on, placement where);
[[nodiscard]] std::vector<result> looping_waiters(const stage& on, std::size_t size);
[[nodiscard]] std::vector<result> convoy(const stage& on, std::size_t size);
[[nodiscard]] std::vector<result> commands_per_hand_off(const stage& on, std::size_t size);
[[nodiscard]] std::vector<result> many_leases(const stage& on);

} // namespace holdfast::bench::redis
