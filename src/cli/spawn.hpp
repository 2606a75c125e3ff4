#pragma once
// Starting the child: in a process group of its own, with the signals, files and terminal that the
// command was started with.

#include "cli/signals.hpp"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

struct spawned {
    pid_t pid = 0; ///< 0: it could not be started
    int error = 0; ///< errno
};

/// `terminal`: a descriptor of the terminal that the child is to have in the foreground; -1: none.
[[nodiscard]] spawned
spawn(const std::vector<std::string>& command,
      const std::vector<std::pair<std::string, std::string>>& more_environment,
      const signal_state& signals, int terminal);

} // namespace holdfast::cli
