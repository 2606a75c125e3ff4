#pragma once
// The children of this process, found without /proc.

#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

/// Those that run or are stopped (no zombies), without `spare`. The kernel has no list of them but
/// /proc; it does say of each number whether it is a child of ours. Tried are the numbers that were
/// given out since this process began, and all there can be if a child is none of these.
[[nodiscard]] std::vector<pid_t> running_children(pid_t spare = 0);

/// Whether there is a child that runs. False also if it is not known, because a dead one has not
/// been waited for.
[[nodiscard]] bool some_child_runs() noexcept;

} // namespace holdfast::cli
