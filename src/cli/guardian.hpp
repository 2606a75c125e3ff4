#pragma once
// The process that holds the lock, starts the child, and ends it in time.

#include "cli/link.hpp"
#include "cli/run_settings.hpp"
#include "cli/signals.hpp"

namespace holdfast::cli {

/// Runs in a process of its own, forked before anything else was started. What is to be known goes
/// through `front`; so does the end.
void guard(const run_settings& what, link_end front, const signal_state& signals);

} // namespace holdfast::cli
