#pragma once
// The subcommands: each adds its options to the parser and sets the action to run.

#include <functional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's name
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// Runs the subcommand that was given; returns the exit code.
using action = std::function<int()>;

/// The command to run, which is complete by the time that the action runs.
struct given_command {
    std::vector<std::string> words{};
    bool follows_dashes = true; ///< false: after the one NAME of run, without `--`
};

void add_run(CLI::App& app, action& chosen, const given_command& command);
void add_elect(CLI::App& app, action& chosen, const given_command& command);
void add_once(CLI::App& app, action& chosen, const given_command& command);
void add_latch(CLI::App& app, action& chosen);
void add_acquire(CLI::App& app, action& chosen);
void add_renew(CLI::App& app, action& chosen);
void add_release(CLI::App& app, action& chosen);
void add_doctor(CLI::App& app, action& chosen);
void add_ls(CLI::App& app, action& chosen);
void add_show(CLI::App& app, action& chosen);
void add_top(CLI::App& app, action& chosen);
void add_events(CLI::App& app, action& chosen);
void add_break(CLI::App& app, action& chosen);
void add_web(CLI::App& app, action& chosen);
void add_ping(CLI::App& app, action& chosen);
void add_demo(CLI::App& app, action& chosen);
void add_completion(CLI::App& app, action& chosen);
void add_man(CLI::App& app, action& chosen);

} // namespace holdfast::cli
