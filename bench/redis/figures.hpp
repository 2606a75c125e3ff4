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
    [[nodiscard]] seconds window() const noexcept { return seconds{quick ? 0.1 : 0.2}; }
};

struct figure_of {
    std::string name; ///< what --only selects by
    std::function<std::vector<result>(const stage&)> measure;
};

[[nodiscard]] std::vector<figure_of> all_figures();

// One function per kind of figure, each in the file of its name.
[[nodiscard]] std::vector<result> one_thread(const stage& on, placement where);
[[nodiscard]] std::vector<result> many_threads(const stage& on, placement where);
[[nodiscard]] std::vector<result> in_flight(const stage& on, placement where);

} // namespace holdfast::bench::redis
