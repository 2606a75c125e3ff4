#pragma once
// The terminal that a job was started from. The child is of the job's own process group, so that
// the shell and the kernel do all the rest: Ctrl-C, Ctrl-Z, fg, pipelines.

namespace holdfast::cli {

/// Whether this process's group has the terminal.
[[nodiscard]] bool in_foreground();

/// A command that was killed may have left the terminal to a process group that is no more, as an
/// interactive shell does: takes it back. From the living it takes nothing.
void take_terminal_from_the_dead();

} // namespace holdfast::cli
