#pragma once
// Locks as rows of a table, and their order.

#include "cli/text_table.hpp"

#include <holdfast/lock_info.hpp>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

/// Append only: users type the names.
enum class lock_order { name, age, waiters, left, token };

[[nodiscard]] std::optional<lock_order> parse_lock_order(const std::string& text);
/// Names in ascending order, `left` with the least first, all else with the most first.
void sort_locks(std::vector<lock_info>& locks, lock_order order);

[[nodiscard]] std::vector<std::string> lock_titles();
/// A row per holder; one row without a holder if there are only waiters.
void add_rows(text_table& table, const lock_info& lock);

/// `exclusive`, `shared`, `2 of 5`: how a party holds, or wants to hold, the lock.
[[nodiscard]] std::string mode_text(const lock_info& lock, const party& party);
/// `web3:4711`, or the owner where the layout knows no more.
[[nodiscard]] std::string origin_text(const party& party);
[[nodiscard]] std::string age_text(const party& party);
[[nodiscard]] std::string left_text(const party& party);

} // namespace holdfast::cli
