#pragma once
// All that descends from this process, however it was started.
//
// Where /proc shows the processes of this pid namespace, they are found by their parents. Where it
// does not (it is missing, another namespace's, or hides some), only children can be found; since
// orphans become children of this process, killing children until none is left ends all of them.

#include <sys/types.h>
#include <vector>

namespace holdfast::cli {

/// From now on orphans below this process become its children instead of init's, so that nothing
/// can leave the tree. Throws std::system_error where that cannot be.
void adopt_orphans();

/// Whether /proc shows this pid namespace, so that descendants() finds more than children.
[[nodiscard]] bool sees_whole_tree();

/// Those that still run (no zombies), without `spare`.
[[nodiscard]] std::vector<pid_t> descendants(pid_t spare = 0);

/// Sends it to those of a process group.
void signal_group_in_tree(int signal, pid_t group);

/// False also if nobody can tell.
[[nodiscard]] bool is_stopped(pid_t pid);

/// SIGKILL until nothing is left; new ones may be forked while we look, hence again and again, but
/// not for ever. False: something would not die. Without the whole tree in sight, orphans may yet
/// come while there are dead children that were not waited for.
bool kill_tree(pid_t spare = 0);

} // namespace holdfast::cli
