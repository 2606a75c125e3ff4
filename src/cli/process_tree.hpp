#pragma once
// The descendants of this process: finding, signalling and killing them.
//
// If /proc shows the processes of this pid namespace, descendants are found by their parent pids.
// If it does not (not mounted, another namespace's, or hides some), only children can be found;
// orphans become children of this process, so killing children until none is left ends them all.

#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

/// From now on orphans below this process become its children instead of init's, so that no process
/// can leave the tree. Throws std::runtime_error if the system does not support that.
void adopt_orphans();

/// Whether /proc shows this pid namespace, so that descendants() finds more than children.
[[nodiscard]] bool sees_whole_tree();

/// The descendants that run or are stopped (no zombies), without `excluded`.
[[nodiscard]] std::vector<pid_t> descendants(pid_t excluded = 0);

/// Sends the signal to the descendants that are in the process group.
void signal_group_in_tree(int signal, pid_t group);

/// Also false if that is unknown.
[[nodiscard]] bool is_stopped(pid_t pid);

/// Sends SIGKILL until no descendant is left. Repeats, because processes may fork meanwhile; gives
/// up after 200 rounds and returns false. If sees_whole_tree() is false, more orphans may appear
/// after the caller has waited for dead children.
bool kill_tree(pid_t excluded = 0);

/// The same, and waits for the dead children. Orphans of killed processes become our children:
/// repeats until there is none.
void kill_tree_and_orphans();

} // namespace holdfast::cli
