#pragma once
// The guardian: the process that holds the lock, starts the child, and ends it in time.

#include "cli/message_socket.hpp"
#include "cli/run_settings.hpp"
#include "cli/shared_deadline.hpp"
#include "cli/signals.hpp"

#include <sys/types.h>

namespace holdfast::cli {

/// The body of the guardian process, which is forked before any thread starts. It reports to the
/// front through `front` and `deadline`. `group`: the front's process group.
void run_guardian(const run_settings& settings, message_socket front, shared_deadline& deadline,
                  const signal_state& signals, pid_t group);

} // namespace holdfast::cli
