#pragma once
// The latest grants and ends of holds, for the page of `holdfast web`.

#include "cli/hold_changes.hpp"

#include <holdfast/admin.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace holdfast::cli {

/// Compares walks over the locks. A walk is: begin_walk(), add() for each lock, end_walk().
///
/// Thread safety: none.
class recent_events {
public:
    static constexpr std::size_t most_events = 100;
    /// Above, nothing is compared: memory grows with the holds.
    static constexpr std::size_t most_holds = 20'000;

    /// The next walk compares with nothing: the last one was long ago.
    void forget_holds();
    void begin_walk();
    void add(const lock_info& lock);
    /// Throws holdfast::error.
    void end_walk(const admin& admin);

    /// The end of this hold is a break.
    void on_broken(hold_changes::hold_key hold);

    /// `"events": [...], "events_off": false`, members of an object; the latest first.
    [[nodiscard]] std::string members() const;

private:
    void record(const hold_change& change);
    [[nodiscard]] bool was_broken(const hold_change& change) const;

    hold_changes changes_{};
    std::deque<std::string> events_{}; ///< as JSON
    std::deque<hold_changes::hold_key> broken_{};
    std::size_t holds_ = 0; ///< in this walk
    bool first_ = true;
};

} // namespace holdfast::cli
