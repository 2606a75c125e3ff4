#pragma once
// What the demo's processes share: the stock that they sell, in plain memory without any guard.

#include <atomic>
#include <cstdint>

namespace holdfast::cli {

struct demo_board {
    /// Not atomic on purpose: read, think, write, as a shop would with a row of a database.
    volatile int stock = 0;
    std::atomic<int> sold{0};
    std::atomic<int> failures{0};
    std::atomic<std::uint64_t> last_token{0};
    std::atomic<bool> tokens_in_order{true};

    void fill(int items) {
        stock = items;
        sold = 0;
        failures = 0;
    }
};

/// In memory that children of fork() share.
[[nodiscard]] demo_board& make_board();

} // namespace holdfast::cli
