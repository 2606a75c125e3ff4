#pragma once
// The rules, one file for each question that can be asked of a timeline.

#include "history/tell.hpp"
#include "history/timeline.hpp"

namespace holdfast::history {

/// One name's part of a check.
struct inquiry {
    const timeline& all;
    const name_line& line;
    const check_options& options;
    std::vector<violation>& found;

    void report(rule r, std::string sentence, std::initializer_list<const event*> events) const {
        found.push_back(make_violation(r, line.name, std::move(sentence), events));
    }
    /// "taker-3 (pid 71, thread 1) with token 7".
    [[nodiscard]] static std::string holder(const hold& h);
    /// "12.345 ms in": counted from the first event of the history.
    [[nodiscard]] std::string when(stamp at) const;
};

void check_overlaps(const inquiry& about); ///< P1: exclusive, shared, permits, mixed use
void check_tokens(const inquiry& about);   ///< P3: order, twice, epochs
void check_writes(const inquiry& about);   ///< P3: stale writes
void check_counter(const inquiry& about);  ///< P1: lost updates
void check_losses(const inquiry& about);   ///< P2: told in time, final
void check_waits(const inquiry& about);    ///< P7: starvation
void check_order(const inquiry& about);    ///< P6: FIFO

} // namespace holdfast::history
