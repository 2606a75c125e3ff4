#pragma once
// The subcommands: each adds itself to the command line and leaves behind what to do.

#include <functional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): not ours
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// What was chosen; the exit code. Set by the subcommand that was given.
using action = std::function<int()>;

/// `command`: the words of the command to run, once they are known. The subcommand.
const CLI::App& add_run(CLI::App& app, action& chosen, const std::vector<std::string>& command);
void add_acquire(CLI::App& app, action& chosen);
void add_renew(CLI::App& app, action& chosen);
void add_release(CLI::App& app, action& chosen);
void add_demo(CLI::App& app, action& chosen);
void add_completion(CLI::App& app, action& chosen);
void add_man(CLI::App& app, action& chosen);

} // namespace holdfast::cli
