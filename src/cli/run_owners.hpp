#pragma once
// Whose locks `holdfast run` looks after. The command is told by HOLDFAST_RUN, so that no `renew`
// or `release` in it shortens or ends a lock behind the back of its `run`.

#include <string>

namespace holdfast::cli {

inline constexpr const char* run_owners = "HOLDFAST_RUN";

/// The variable's value for a command of this owner's: that of the `run`s around us, and this one.
[[nodiscard]] std::string owners_with(const std::string& owner);

/// Whether a `run` around us holds its lock as this owner.
[[nodiscard]] bool is_of_a_run(const std::string& owner);

} // namespace holdfast::cli
