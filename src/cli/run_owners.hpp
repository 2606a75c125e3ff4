#pragma once
// The owners of locks that `holdfast run` holds. The command gets them in HOLDFAST_RUN, so that
// `renew` and `release` in it refuse to shorten or end a lock of an enclosing `run`, and `run` and
// `acquire` refuse to wait for it.

#include <string>

namespace holdfast::cli {

inline constexpr const char* run_owners_variable = "HOLDFAST_RUN";

/// The variable's value for the command of this owner: the owners of the enclosing `run`s, and this
/// one.
[[nodiscard]] std::string append_run_owner(const std::string& owner);

/// Whether this is the command of a `run`.
[[nodiscard]] bool is_in_run();

/// Whether an enclosing `run` holds its lock as this owner.
[[nodiscard]] bool is_run_owner(const std::string& owner);

} // namespace holdfast::cli
