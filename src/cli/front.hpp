#pragma once
// The front: the process that the shell started. It forwards signals and job control, and waits. If
// the guardian dies or is stopped, the front ends the child.

#include "cli/run_settings.hpp"

namespace holdfast::cli {

/// Forks the guardian and runs the command under the lock; returns the exit code. Must be called
/// before any thread starts.
[[nodiscard]] int run(const run_settings& settings);

} // namespace holdfast::cli
