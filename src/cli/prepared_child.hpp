#pragma once
// Starts the child with the process group, signals and files that `holdfast run` was started with.

#include "cli/signals.hpp"
#include "holdfast/base/fd.hpp"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

/// A forked process that waits before exec. It is in its process group already, so the group's
/// signals reach it, but nothing of the command has run. Without start() nothing ever will.
class prepared_child {
public:
    /// `group`: the process group that it joins. `death_signal`: it gets this signal when the
    /// calling thread ends, however that happens; 0: none. A failure is the result of start().
    prepared_child(const std::vector<std::string>& command,
                   const std::vector<std::pair<std::string, std::string>>& more_environment,
                   const signal_state& signals, pid_t group, int death_signal = 0);
    prepared_child(const prepared_child&) = delete;
    prepared_child& operator=(const prepared_child&) = delete;
    ~prepared_child();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    /// Lets it exec. Returns 0, and then the caller waits for the process; or the errno of the
    /// failure.
    [[nodiscard]] int start() noexcept;

private:
    pid_t pid_ = 0; ///< 0: there is no process, or the caller owns it
    int error_ = 0;
    base::fd socket_; ///< to the process, which waits for a byte
};

/// Says why the command could not be started, and returns the exit code of a shell: 127 or 126.
int print_start_failure(const std::string& command, int error, const char* advice = "");

} // namespace holdfast::cli
