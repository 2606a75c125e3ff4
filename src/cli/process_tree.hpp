#pragma once
// All that descends from a process, however it was started.

#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

/// From now on orphans below this process become its children instead of init's, so that nothing
/// can leave the tree.
void adopt_orphans() noexcept;

/// Descendants of `root` that still run (no zombies), without `root` and without `spare`.
[[nodiscard]] std::vector<pid_t> descendants(pid_t root, pid_t spare = 0);

/// Sends it to each of them.
void signal_tree(pid_t root, int signal);
/// Sends it to those of a process group.
void signal_group_in_tree(pid_t root, int signal, pid_t group);

[[nodiscard]] bool is_stopped(pid_t pid);

/// SIGKILL until nothing is left; new ones may be forked while we look, hence again and again, but
/// not for ever. False: something would not die.
bool kill_tree(pid_t root, pid_t spare = 0);

} // namespace holdfast::cli
