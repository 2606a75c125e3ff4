#pragma once
// The children of this process, found without /proc.

#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

/// The children that run or are stopped (no zombies), without `excluded`. Only /proc has a list of
/// them, but waitid() tells of each pid whether it is a child. The function tries the pids that the
/// kernel assigned since this process started, and all possible pids if a child is not among these.
[[nodiscard]] std::vector<pid_t> running_children(pid_t excluded = 0);

/// Whether a child runs. Also false if that is unknown, because a zombie has not been waited for.
[[nodiscard]] bool some_child_runs() noexcept;

} // namespace holdfast::cli
