#include "cli/front.hpp"

#include "cli/exit_codes.hpp"
#include "cli/guardian.hpp"
#include "cli/link.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using base::boot_clock;
using base::never;
using std::chrono::milliseconds;

const std::vector<int> heard{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

class front {
public:
    front(const run_settings& what, const signal_state& signals, signal_queue events,
          link_end guardian, pid_t pid, const shared_deadline& deadline)
        : what_{what},
          signals_{signals},
          events_{std::move(events)},
          guardian_{std::move(guardian)},
          guardian_pid_{pid},
          deadline_{deadline} {}

    int wait() {
        while (!over_) {
            std::array<pollfd, 2> both{pollfd{events_.descriptor(), POLLIN, 0},
                                       pollfd{guardian_.descriptor(), POLLIN, 0}};
            ::poll(both.data(), both.size(), time_out());
            listen();
            take_signals();
            if (!over_ && boot_clock::now() >= deadline_.get()) {
                stand_in("is stopped or late, so that the lock is lost");
            }
        }
        // With the lock lost, the engine may be as well, and letting go of it may take seconds.
        if (code_ != exit_code::lost) { ::waitpid(guardian_pid_, nullptr, 0); }
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {} // until then a killed command has its group
        take_terminal_from_the_dead();
        if (to_die_of_ != 0) { die_of(to_die_of_); }
        return code_;
    }

private:
    [[nodiscard]] int time_out() const {
        const auto deadline = deadline_.get();
        if (deadline == never) { return -1; }
        const auto left = std::chrono::ceil<milliseconds>(deadline - boot_clock::now());
        return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
    }

    void take_signals() {
        while (const auto signal = events_.next()) { on_signal(*signal); }
    }

    void on_signal(const arrived_signal& signal) {
        if (signal.number != SIGCONT && signals_.ignored(signal.number)) { return; } // as by nohup
        if (child_ != 0) {
            interrupted_ = interrupted_ || signal.number == SIGINT;
            // The child is of our process group: Ctrl-C has reached it already.
            if (!signal.from_terminal) { guardian_.say({word::kind::signal, signal.number}); }
        } else if (signal.number != SIGCONT) {
            guardian_.say({word::kind::cancel});
            code_ = exit_code::signalled + signal.number;
            to_die_of_ = signal.number;
        }
    }

    void listen() {
        bool closed = false;
        while (const auto said = guardian_.hear(closed)) {
            switch (said->what) {
            case word::kind::ready: let_begin(static_cast<pid_t>(said->number)); break;
            case word::kind::stopped: stop_too(); break;
            case word::kind::exited: on_exit(static_cast<int>(said->number)); break;
            case word::kind::finished: end_with(static_cast<int>(said->number)); break;
            default: break;
            }
        }
        if (!closed || over_) { return; }
        if (to_die_of_ != 0) { // most likely it has cancelled what it was asked to
            kill_tree(::getpid());
            over_ = true;
        } else {
            stand_in("was killed");
        }
    }

    /// What came until now was meant for us, as we waited; what comes from now on is the child's,
    /// which is of our process group already.
    void let_begin(pid_t child) {
        take_signals();
        if (to_die_of_ != 0) { return; } // the guardian was told
        child_ = child;
        guardian_.say({word::kind::go});
    }

    void end_with(int code) {
        over_ = true;
        if (to_die_of_ == 0) { code_ = code; }
    }

    void on_exit(int status) {
        // A Ctrl-C that ended the child has reached us before, but we may look at both only now.
        take_signals();
        if (!WIFSIGNALED(status)) { return end_with(WEXITSTATUS(status)); }
        end_with(exit_code::signalled + WTERMSIG(status));
        // A shell goes on after Ctrl-C with its next command, unless what it ran has died of it.
        if (WTERMSIG(status) == SIGINT && interrupted_) { to_die_of_ = SIGINT; }
    }

    /// The guardian can no longer be relied on to end the child in time.
    void stand_in(const char* what_happened) {
        if (child_ != 0) { ::kill(child_, SIGKILL); } // at once; finding the others takes time
        kill_tree(::getpid(), guardian_pid_);
        ::kill(guardian_pid_, SIGKILL);
        kill_tree(::getpid());
        tell(what_, std::string{"the guardian "} + what_happened +
                        (child_ == 0 ? " before the command was started"
                                     : "; the command was ended. The lock is free when its lease "
                                       "is over"));
        over_ = true;
        code_ = exit_code::lost;
        to_die_of_ = 0;
    }

    /// The child has stopped itself. For the shell to see a stopped job we stop too; the guardian
    /// wakes us when it goes on or is ended. After Ctrl-Z and `fg` this is old news.
    void stop_too() const {
        for (int look = 0; look < 2; ++look) {
            if (!is_stopped(child_) || !in_foreground()) { return; }
            std::this_thread::sleep_for(milliseconds{20});
        }
        ::raise(SIGSTOP);
    }

    [[noreturn]] static void die_of(int signal) {
        set_to_default(signal);
        sigset_t only;
        ::sigemptyset(&only);
        ::sigaddset(&only, signal);
        ::raise(signal);
        ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
        ::_exit(exit_code::signalled + signal);
    }

    const run_settings& what_;
    const signal_state& signals_;
    signal_queue events_;
    link_end guardian_;
    pid_t guardian_pid_;
    const shared_deadline& deadline_;
    pid_t child_ = 0;
    bool interrupted_ = false;
    bool over_ = false;
    int code_ = exit_code::internal;
    int to_die_of_ = 0; ///< the signal that we were ended by, also to those who wait for us
};

} // namespace

int run(const run_settings& what) {
    const signal_state signals;
    set_to_default(SIGCHLD); // ignored, the kernel would keep no exit codes
    adopt_orphans();
    shared_deadline deadline;
    auto line = link_end::make();
    signal_queue events{heard}; // before there is a guardian, whose end we have to wait for
    const auto group = ::getpgrp();
    const auto guardian = ::fork();
    if (guardian < 0) { throw std::system_error{errno, std::generic_category(), "cannot fork"}; }
    if (guardian == 0) {
        line.first.close();
        guard(what, std::move(line.second), deadline, signals, group);
        ::_exit(0);
    }
    line.second.close();
    survive_limits();
    return front{what, signals, std::move(events), std::move(line.first), guardian, deadline}
        .wait();
}

} // namespace holdfast::cli
