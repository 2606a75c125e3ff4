#pragma once
// Errors of the library in the words of the command: its options, and the name as it prints it.

#include "cli/run_settings.hpp"

#include <holdfast/error.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// Throws error(invalid_option) for what the library would refuse, in the words of the options.
void check_hold(const run_settings& settings);

/// The library's message in the words of this command line: `list: ...` becomes `ls: ...` for the
/// command `ls`, and `once_flag` becomes `once`.
[[nodiscard]] std::string command_failure(std::string text, std::string_view command);

/// Why the lock could not be acquired. May ask the engine, for half a second at most.
[[nodiscard]] std::string acquire_failure(const error& failure, const run_settings& settings);

/// `"name" could not be released (why); it stays taken until the lease ends`, and how long that is
/// if `left` is not 0.
[[nodiscard]] std::string release_failure(const std::vector<std::string>& names,
                                          const error& failure,
                                          std::chrono::milliseconds left = {});

} // namespace holdfast::cli
