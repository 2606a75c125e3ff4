#pragma once
// Starting the child: with the process group, signals and files that the command was started with.

#include "cli/signals.hpp"
#include "holdfast/base/fd.hpp"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::cli {

/// A process that is about to become the command. It is of the group already, so that the group's
/// signals reach it, and wait; but nothing of the command has run. Without go() it never will.
class ready_child {
public:
    /// `group`: the process group that it is to join.
    ready_child(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& more_environment,
                const signal_state& signals, pid_t group);
    ready_child(const ready_child&) = delete;
    ready_child& operator=(const ready_child&) = delete;
    ~ready_child();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    /// Begins the command, whose process is the caller's to wait for then. 0, or the errno for
    /// which it could not begin.
    [[nodiscard]] int go() noexcept;

private:
    pid_t pid_ = 0; ///< 0: there is none, or it is ours no more
    int error_ = 0;
    base::fd line_; ///< to the process, which waits for a byte
};

} // namespace holdfast::cli
