#pragma once
// Signals as descriptors, and the way back for the child.

#include "holdfast/base/fd.hpp"

#include <csignal>
#include <optional>
#include <vector>

namespace holdfast::cli {

/// How signals were set when the command began; the child gets them that way.
class signal_state {
public:
    signal_state() noexcept;
    [[nodiscard]] const sigset_t& mask() const noexcept { return mask_; }
    [[nodiscard]] bool ignored(int signal) const noexcept {
        return ::sigismember(&ignored_, signal) == 1;
    }
    /// Those that we may have changed and that were not ignored.
    [[nodiscard]] sigset_t to_default() const noexcept;

private:
    sigset_t mask_{};
    sigset_t ignored_{};
};

struct arrived_signal {
    int number = 0;
    bool from_terminal = false; ///< a key was pressed: the whole process group has got it
};

/// Blocks the signals in this process and hands them out through a descriptor.
class signal_queue {
public:
    explicit signal_queue(const std::vector<int>& signals);
    [[nodiscard]] int descriptor() const noexcept { return queue_.get(); }
    [[nodiscard]] std::optional<arrived_signal> next() const noexcept;

private:
    base::fd queue_;
};

/// The signals that end a program which a person or a script wants to be over. Blocked while it
/// lives, but for those that were ignored at the start.
class ending_signals {
public:
    ending_signals() : queue_{not_ignored()} {}

    [[nodiscard]] int descriptor() const noexcept { return queue_.descriptor(); }
    /// Whether one has come by now.
    [[nodiscard]] bool arrived() noexcept;
    [[nodiscard]] int number() const noexcept { return number_; } ///< 0: none has

private:
    [[nodiscard]] static std::vector<int> not_ignored();

    signal_queue queue_;
    int number_ = 0;
};

void ignore(const std::vector<int>& signals) noexcept;
/// From now on a write that fails, because a reader has gone or a limit on file sizes is reached,
/// is an error and does not end the process; nor does a soft limit on processor time.
void survive_limits() noexcept;
void set_to_default(int signal) noexcept;
/// Ends this process as the signal ends any program, for those who wait for it.
[[noreturn]] void die_of(int signal) noexcept;

} // namespace holdfast::cli
