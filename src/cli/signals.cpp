#include "cli/signals.hpp"

#include "cli/errno_error.hpp"
#include "cli/exit_codes.hpp"

#include <cerrno>
#include <sys/signalfd.h>
#include <unistd.h>

namespace holdfast::cli {

signal_state::signal_state() noexcept {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
    ::sigemptyset(&ignored_);
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
            ::sigaddset(&ignored_, signal);
        }
    }
}

sigset_t signal_state::default_signals() const noexcept {
    sigset_t out;
    ::sigemptyset(&out);
    for (int signal = 1; signal < NSIG; ++signal) {
        if (signal != SIGKILL && signal != SIGSTOP && !ignored(signal)) {
            ::sigaddset(&out, signal);
        }
    }
    return out;
}

signal_queue::signal_queue(const std::vector<int>& signals) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : signals) { ::sigaddset(&set, signal); }
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    queue_ = base::fd{::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)};
    if (!queue_) { throw errno_error("cannot create a signalfd", errno, raise_file_limit); }
}

std::optional<received_signal> signal_queue::next() const noexcept {
    signalfd_siginfo info{};
    if (::read(queue_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
        return std::nullopt;
    }
    const auto number = static_cast<int>(info.ssi_signo);
    // SI_KERNEL is also set for SIGALRM and, at a hang-up, SIGHUP; those go to one process only.
    return received_signal{number,
                           info.ssi_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT)};
}

bool termination_signals::arrived() noexcept {
    if (number_ != 0) { return true; }
    if (const auto signal = queue_.next()) { number_ = signal->number; }
    return number_ != 0;
}

std::vector<int> termination_signals::not_ignored() {
    const signal_state current;
    std::vector<int> out{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    std::erase_if(out, [&](int signal) { return current.ignored(signal); });
    return out;
}

namespace {

void set_handler(int signal, void (*handler)(int)) noexcept {
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

void ignore(const std::vector<int>& signals) noexcept {
    for (const int signal : signals) { set_handler(signal, SIG_IGN); }
}

void ignore_limit_signals() noexcept { ignore({SIGPIPE, SIGXFSZ, SIGXCPU}); }

void set_to_default(int signal) noexcept { set_handler(signal, SIG_DFL); }

void die_of(int signal) noexcept {
    set_to_default(signal);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::raise(signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(exit_code::signalled + signal);
}

} // namespace holdfast::cli
