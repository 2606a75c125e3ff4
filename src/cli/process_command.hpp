#pragma once
// The command line of a holder or waiter that runs on this host.

#include <holdfast/lock_info.hpp>

#include <string>

namespace holdfast::cli {

/// Words with blanks between; of `holdfast run ... -- COMMAND` only the command. Empty if the party
/// is on another host, in another pid namespace or gone: no engine stores it. A process that is
/// younger than the hold has only inherited the pid.
[[nodiscard]] std::string process_command(const party& party);

} // namespace holdfast::cli
