#pragma once
// Locks as JSON, one object per line. docs/cli.md lists the fields; they are only ever added to.

#include "cli/coordination_info.hpp"

#include <holdfast/lock_info.hpp>

#include <chrono>
#include <string>

namespace holdfast::cli {

/// A whole lock, with a newline.
[[nodiscard]] std::string as_json(const lock_info& lock);
/// A line for each thing that the name is beside a lock.
[[nodiscard]] std::string as_json(const coordination_info& found, const std::string& name);
/// The members of a holder's object without its braces.
[[nodiscard]] std::string holder_members(const party& holder);
/// The same with the command of its process, which may have ended; empty: not known.
[[nodiscard]] std::string holder_members(const party& holder, const std::string& command);

/// `"2026-01-31T23:59:59.123Z"`, in quotes.
[[nodiscard]] std::string json_time(std::chrono::system_clock::time_point time);

} // namespace holdfast::cli
