#pragma once
// Splits the command line: Holdfast's own options, and the command that `run` starts.

#include <cstddef>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's name
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// Indices into the words of the command line; they differ by one if there is a `--` between.
struct command_split {
    std::ptrdiff_t options_end = 0;
    std::ptrdiff_t command_begin = 0;
};

/// The command is everything after `--`. Without `--`, in `holdfast run [options] NAME COMMAND...`,
/// it is everything after NAME, even if CLI11 would take it for an option. With -c there is none.
[[nodiscard]] command_split split_command_line(const CLI::App& app,
                                               const std::vector<std::string>& words);

} // namespace holdfast::cli
