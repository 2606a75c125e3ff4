#pragma once
// A history and its violations as text for people.

#include "history/checker.hpp"

#include <map>
#include <ostream>

namespace holdfast::history {

struct summary {
    std::size_t events{};
    std::size_t requests{};
    std::size_t grants{};
    /// Grants to a request that was waiting already when the hold before it was released.
    std::size_t hand_offs{};
    std::size_t given_up{};
    std::size_t losses{};
    std::size_t kills{};
    std::size_t stops{};
    std::size_t breaks{};
    std::size_t writes_accepted{};
    std::size_t writes_refused{};
    std::map<std::string, std::size_t> grants_by_process{}; ///< by label, else by pid
    std::chrono::nanoseconds longest_wait{};                ///< for a grant
    std::string longest_waiter{};
    std::chrono::nanoseconds length{};
};

[[nodiscard]] summary summarise(const std::vector<event>& events);

void print(std::ostream& out, const summary& s);

/// Each violation with its events, at most `most` of each rule.
void print(std::ostream& out, const std::vector<violation>& violations, std::size_t most = 10);

/// All of it as text: `EXPECT_TRUE(found.empty()) << describe(events, found)`.
[[nodiscard]] std::string describe(const std::vector<event>& events,
                                   const std::vector<violation>& violations);

} // namespace holdfast::history
