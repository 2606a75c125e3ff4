#pragma once
// Signals as descriptors, and the signal state that the child inherits.

#include "holdfast/base/fd.hpp"

#include <csignal>
#include <optional>
#include <vector>

namespace holdfast::cli {

/// The signal mask and ignored signals at the start of the process; the child gets the same.
class signal_state {
public:
    signal_state() noexcept;
    [[nodiscard]] const sigset_t& mask() const noexcept { return mask_; }
    [[nodiscard]] bool ignored(int signal) const noexcept {
        return ::sigismember(&ignored_, signal) == 1;
    }
    /// The signals that the child sets to their default action: all that were not ignored.
    [[nodiscard]] sigset_t default_signals() const noexcept;

private:
    sigset_t mask_{};
    sigset_t ignored_{};
};

struct received_signal {
    int number = 0;
    bool from_terminal = false; ///< by Ctrl-C or Ctrl-\: the whole process group has received it
};

/// A signalfd. The constructor blocks the signals in this process, or throws std::runtime_error.
class signal_queue {
public:
    explicit signal_queue(const std::vector<int>& signals);
    [[nodiscard]] int descriptor() const noexcept { return queue_.get(); }
    [[nodiscard]] std::optional<received_signal> next() const noexcept;

private:
    base::fd queue_;
};

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT, without those that were ignored at the start. The
/// constructor blocks them.
class termination_signals {
public:
    termination_signals() : queue_{not_ignored()} {}

    [[nodiscard]] int descriptor() const noexcept { return queue_.descriptor(); }
    /// Reads the descriptor; whether one has arrived by now.
    [[nodiscard]] bool arrived() noexcept;
    /// The first one that arrived() has read; 0: none.
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    [[nodiscard]] static std::vector<int> not_ignored();

    signal_queue queue_;
    int number_ = 0;
};

void ignore(const std::vector<int>& signals) noexcept;
/// Ignores SIGPIPE, SIGXFSZ and SIGXCPU: a closed pipe and a file size limit become errors of
/// write(), and a soft limit on processor time has no effect.
void ignore_limit_signals() noexcept;
void set_to_default(int signal) noexcept;
/// Ends this process by the signal, so that its parent sees it in the wait status.
[[noreturn]] void die_of(int signal) noexcept;

} // namespace holdfast::cli
