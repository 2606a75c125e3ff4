#pragma once
// The process that the shell started: it passes on signals and job control, waits for the end, and
// stands in for the guardian if that dies or is stopped.

#include "cli/run_settings.hpp"

namespace holdfast::cli {

/// The exit code. Must be called before any thread is started.
[[nodiscard]] int run(const run_settings& settings);

} // namespace holdfast::cli
