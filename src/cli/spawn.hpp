#pragma once
// Starting the child: with the process group, signals and files that the command was started with.

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

/// `group`: the process group that it is to join.
[[nodiscard]] spawned
spawn(const std::vector<std::string>& command,
      const std::vector<std::pair<std::string, std::string>>& more_environment,
      const signal_state& signals, pid_t group);

} // namespace holdfast::cli
