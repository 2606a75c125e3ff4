#pragma once
// All measurements of a quorum, by name.

#include "redis/results.hpp"
#include "redis/rounds.hpp"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench::quorum {

struct bench_setup {
    bool quick = false;

    [[nodiscard]] int rounds() const noexcept { return quick ? 7 : 31; }
    [[nodiscard]] redis::seconds window() const noexcept {
        return redis::seconds{quick ? 0.05 : 0.2};
    }
};

struct measurement {
    std::string name; ///< --only matches it
    std::function<std::vector<redis::result>(const bench_setup&)> measure;
};

[[nodiscard]] std::vector<measurement> all_figures();

// One function per kind of figure.
[[nodiscard]] std::vector<redis::result> native_cycle(const bench_setup& setup);
[[nodiscard]] std::vector<redis::result> plain_cycle(const bench_setup& setup);
[[nodiscard]] std::vector<redis::result> killed_minority(const bench_setup& setup);
[[nodiscard]] std::vector<redis::result> frozen_minority(const bench_setup& setup);

} // namespace holdfast::bench::quorum
