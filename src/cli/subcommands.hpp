#pragma once
// All subcommands, by name.

#include "cli/commands.hpp"

#include <string>
#include <vector>

namespace holdfast::cli {

/// In the order of `holdfast --help`.
[[nodiscard]] std::vector<std::string> subcommand_names();

/// Adds those that `words`, the command line, needs: only the one that is named, if one is and it
/// prints nothing about the others: their options were most of what `--version` executed.
void add_subcommands(CLI::App& app, action& chosen, const given_command& command,
                     const std::vector<std::string>& words);

} // namespace holdfast::cli
