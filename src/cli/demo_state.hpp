#pragma once
// What the demo's processes share: the stock that they sell, in plain memory without any guard.

#include <atomic>
#include <cstdint>

namespace holdfast::cli {

struct demo_state {
    /// Not atomic on purpose: sellers read, pause and write, as a shop does with a database row.
    volatile int stock = 0;
    std::atomic<int> sold{0};
    std::atomic<std::uint64_t> last_token{0};
    std::atomic<bool> tokens_in_order{true};

    void fill(int items) {
        stock = items;
        sold = 0;
    }
};

/// In memory that is shared with the children of fork().
[[nodiscard]] demo_state& make_demo_state();

} // namespace holdfast::cli
