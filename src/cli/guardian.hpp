#pragma once
// The process that holds the lock, starts the child, and ends it in time.

#include "cli/link.hpp"
#include "cli/run_settings.hpp"
#include "cli/signals.hpp"

#include <sys/types.h>

namespace holdfast::cli {

/// Runs in a process of its own, forked before anything else was started. What is to be known goes
/// through `front` and `deadline`; so does the end. `group`: the front's process group.
void guard(const run_settings& settings, link_end front, shared_deadline& deadline,
           const signal_state& signals, pid_t group);

} // namespace holdfast::cli
