#pragma once
// The demo's sellers: real processes that sell one stock.

#include "cli/demo_board.hpp"
#include "cli/place.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace holdfast::cli {

struct sale {
    int sellers = 4;
    int items = 400;
    place where;
    std::string name; ///< of the lock
    bool locked = false;
};

/// Forks the sellers and waits for them; `watch` is called now and then. False: one of them failed.
bool hold_sale(const sale& sale, demo_board& board, const std::function<void()>& watch);

struct take_over {
    std::uint64_t killed_token = 0;
    std::uint64_t next_token = 0;
    double took_ms = 0; ///< from the kill to the next holder
    bool late_write_refused = false;
    bool next_write_accepted = false;
};

/// How long the killed holder's lock outlives it, where nobody sees it die.
inline constexpr std::chrono::seconds killed_lease{2};

/// A process takes the lock `name` and is killed with -9; another takes over; then the first one's
/// write, which was on its way all the time, arrives at the store.
[[nodiscard]] take_over kill_a_holder(const place& where, const std::string& name);

} // namespace holdfast::cli
