#pragma once
// Processes of this machine, as /proc shows them.

#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::test {

struct process {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    char state = '?'; ///< as ps shows it: R, S, T, Z, ...
    std::string name; ///< at most 15 characters
};

[[nodiscard]] std::vector<process> all_processes();

/// Those that run or are stopped (no zombies) and were started with `variable` ("NAME=value") in
/// their environment: what a test has started, wherever it went.
[[nodiscard]] std::vector<process> processes_with(const std::string& variable);

/// The state of one; 0: there is none.
[[nodiscard]] char state_of(pid_t pid);

/// How it was started, words separated by spaces.
[[nodiscard]] std::string command_line_of(pid_t pid);

} // namespace holdfast::test
