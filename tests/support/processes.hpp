#pragma once
// The processes of this machine, from /proc.

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

/// The processes (no zombies) with `variable` ("NAME=value") in their environment: all that a test
/// has started, at any depth.
[[nodiscard]] std::vector<process> processes_with(const std::string& variable);

/// The state of a process; 0 if there is none.
[[nodiscard]] char state_of(pid_t pid);

/// The command line of a process, words separated by spaces.
[[nodiscard]] std::string command_line_of(pid_t pid);

} // namespace holdfast::test
