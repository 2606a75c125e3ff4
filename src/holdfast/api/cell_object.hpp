#pragma once
// One cell on one client: the part that latch, barrier, once_flag and election share.

#include "holdfast/api/stop_policy.hpp"
#include "holdfast/core/client_core.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace holdfast::api {

/// What `cancelled` means for an arrival.
inline constexpr const char* not_arrived = "the stop came first: this call has not arrived";
inline constexpr const char* has_arrived = "the wait was cancelled; the arrival counts";

/// For messages: `latch "start"` of the cell latch:start.
[[nodiscard]] std::string cell_text(std::string_view cell_name);

struct cell_object {
    /// `word` is the kind, e.g. "latch": the cell is called latch:NAME. Throws error(invalid_name),
    /// or error(unsupported) if the engine has no cells.
    cell_object(std::shared_ptr<core::client_core> client, const char* word,
                const std::string& name);

    /// An operation on the cell.
    [[nodiscard]] engine::cell_op op(engine::cell_op::action_kind action) const;

    /// Runs it. A failure is thrown if `failure` is null, else set. `if_cancelled` is the text of
    /// that failure; null: that of its code, and for an arrival whether it counts.
    [[nodiscard]] core::cell_result run(core::cell_request request, const std::stop_token& stop,
                                        stop_policy policy, std::error_code* failure,
                                        const char* if_cancelled = nullptr) const;

    /// Of a latch or barrier: fails with wrong_limit if others use it with another count.
    [[nodiscard]] bool check_count(const core::cell_result& result, unsigned expected,
                                   std::error_code* failure) const;

    std::shared_ptr<core::client_core> core;
    std::string name; ///< of the cell, and of the lock that belongs to it
    std::string text; ///< for messages, e.g. `latch "start"`
};

[[nodiscard]] inline bool has_other_count(const engine::cell_state& cell,
                                          unsigned expected) noexcept {
    return cell.birth != 0 && cell.expected != expected;
}

/// Throws error(invalid_option) unless it is from 1 to 1,000.
void check_expected(unsigned expected, const cell_object& cell);

/// Throws error(invalid_option) unless it is 0 or from a second to 365 days.
void check_keep(std::chrono::milliseconds keep, const cell_object& cell);

} // namespace holdfast::api
