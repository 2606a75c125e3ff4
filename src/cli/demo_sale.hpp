#pragma once
// The demo's sellers: processes that sell from one stock.

#include "cli/demo_state.hpp"
#include "cli/engine_flags.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace holdfast::cli {

struct sale {
    int sellers = 4;
    int items = 400;
    engine_address engine;
    std::string name; ///< the lock's
    bool locked = false;
};

/// Forks the sellers and waits for them. Calls `on_progress` every 20 ms. False: a seller failed.
bool run_sellers(const sale& sale, demo_state& state, const std::function<void()>& on_progress);

struct take_over_result {
    std::uint64_t killed_token = 0;
    std::uint64_t next_token = 0;
    double took_ms = 0; ///< from the kill to the next holder
    bool late_write_refused = false;
    bool next_write_accepted = false;
};

/// The killed holder's lease: how long the lock stays taken on an engine that does not see it die.
inline constexpr std::chrono::seconds killed_lease{2};

/// A process acquires the lock `name` and is killed with SIGKILL. This process takes over. Then a
/// late write of the killed process arrives at the store.
[[nodiscard]] take_over_result kill_a_holder(const engine_address& engine, const std::string& name);

} // namespace holdfast::cli
