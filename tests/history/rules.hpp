#pragma once
// The rules that a timeline is checked against, one file per rule.

#include "history/timeline.hpp"
#include "history/violation_text.hpp"

namespace holdfast::history {

/// The check of one name: its timeline, the options, the violations found.
struct check_context {
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

void check_overlaps(const check_context& context); ///< P1: exclusive, shared, permits, mixed use
void check_tokens(const check_context& context);   ///< P3: order, twice, epochs
void check_writes(const check_context& context);   ///< P3: stale writes
void check_counter(const check_context& context);  ///< P1: lost updates
void check_losses(const check_context& context);   ///< P2: lost() in time, final
void check_waits(const check_context& context);    ///< P7: starvation
void check_order(const check_context& context);    ///< P6: FIFO

} // namespace holdfast::history
