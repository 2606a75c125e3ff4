#pragma once
// What `top` shows: the first locks in some order, and how many there are.

#include "cli/lock_rows.hpp"
#include "cli/lock_walk.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::cli {

struct lock_sample {
    std::vector<lock_info> locks{}; ///< in order; `most_in_sample` at most
    std::size_t all_locks = 0;
    std::size_t all_holders = 0;
    std::size_t all_waiters = 0;
};

/// More than a screen has lines: the sample's memory has a limit, however many locks there are.
inline constexpr std::size_t most_in_sample = 1'000;

/// Walks over all locks. Throws holdfast::error.
[[nodiscard]] lock_sample take_sample(const lock_walk& walk, lock_order order);

} // namespace holdfast::cli
