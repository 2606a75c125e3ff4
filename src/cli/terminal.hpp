#pragma once
// The terminal that a job was started from. The child is in the job's own process group, so the
// shell and the kernel handle the rest: Ctrl-C, Ctrl-Z, fg, pipelines.

namespace holdfast::cli {

/// Whether this process is in the terminal's foreground process group.
[[nodiscard]] bool in_foreground();

/// Makes our process group the terminal's foreground group if the present one has no process left.
/// A killed interactive shell leaves the terminal like that.
void reclaim_terminal();

} // namespace holdfast::cli
