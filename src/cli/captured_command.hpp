#pragma once
// Runs a command whose standard output is kept, and passed on as it comes.

#include "cli/loss_record.hpp"
#include "cli/signals.hpp"

#include <holdfast/lease.hpp>

#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::cli {

struct captured_command {
    int exit_code = 0; ///< as of `run`
    std::string output{};
    bool is_truncated = false; ///< there was more output than is kept
    bool is_result = false;    ///< it exited by itself, under the lock
};

/// How much of the output is kept.
inline constexpr std::size_t max_captured = 60'000;

/// Runs it to its end. It is killed when the lease is lost, which is before another can run it, and
/// if this process dies. When `stop` is requested it gets the signal that has arrived.
/// `losses`: the observer of the lease's client.
[[nodiscard]] captured_command run_captured(const std::vector<std::string>& command,
                                            const signal_state& inherited, const lease& held,
                                            const loss_record& losses, const std::stop_token& stop,
                                            const termination_signals& signals);

} // namespace holdfast::cli
