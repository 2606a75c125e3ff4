#pragma once
// Judges the history of a run: which violations its faults excuse, and which not.

#include "harness/fault.hpp"
#include "history/checker.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

struct verdict {
    std::vector<history::violation> violations{}; ///< that nothing excuses
    std::size_t excused = 0;                      ///< by the faults
    [[nodiscard]] bool is_clean() const { return violations.empty(); }
};

struct judge_options {
    history::check_options check{};
    /// Whether readers carry the token of the last writer (P3): not on a quorum.
    bool reader_tokens = true;
};

/// An overlap of leases is excused if it began within a fault that breaks the proviso of P1b; an
/// older token of a reader, if data was lost since that writer's grant. A stale write, a late loss,
/// tokens of exclusive holders out of order and anything else are never excused.
[[nodiscard]] verdict judge(const std::vector<history::event>& events,
                            const std::vector<injected_fault>& faults,
                            const judge_options& options);

/// The labels in `clients` that are granted nothing from `since` on.
[[nodiscard]] std::vector<std::string>
without_grant_since(const std::vector<history::event>& events,
                    const std::vector<std::string>& clients, history::stamp since);

/// The longest time within the run in which nobody was granted anything.
[[nodiscard]] std::chrono::nanoseconds longest_gap(const std::vector<history::event>& events);

} // namespace holdfast::test
