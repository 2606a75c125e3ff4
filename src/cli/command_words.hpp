#pragma once
// Which words of the command line are ours, and which are those of the command that we are to run.

#include <cstddef>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): not ours
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

struct command_place {
    std::ptrdiff_t end_of_ours = 0;
    std::ptrdiff_t command = 0;
};

/// What follows `--` is the command's. Without it, in `holdfast run [options] NAME COMMAND...`, so
/// is all that follows NAME: as it is, whatever it looks like to the parser of our options.
[[nodiscard]] command_place command_begins(const CLI::App& run,
                                           const std::vector<std::string>& words);

} // namespace holdfast::cli
