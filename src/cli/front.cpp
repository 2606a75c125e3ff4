#include "cli/front.hpp"

#include "cli/children.hpp"
#include "cli/exit_codes.hpp"
#include "cli/guardian.hpp"
#include "cli/interruption.hpp"
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

/// What the shell started, from the start to the exit code.
///
///   waiting      ready: running | a signal: the guardian is told to stop waiting
///   running      signals are passed on | exited: releasing
///                the guardian gone, or the deadline over: ends the command itself
///   releasing    released: over | a signal: no more than `patience` is left for it
///   any          finished: over
class front {
public:
    front(const run_settings& settings, const signal_state& signals, signal_queue events,
          link_end guardian, pid_t pid, const shared_deadline& deadline)
        : settings_{settings},
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
            if (!over_ && boot_clock::now() >= leave_at_) { leave(); }
        }
        // With the lock lost, the engine may be as well, and letting go of it may take seconds.
        if (code_ != exit_code::lost) { wait_for_guardian(); }
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {} // until then a killed command has its group
        take_terminal_from_the_dead();
        if (to_die_of_ != 0) { die_of(to_die_of_); }
        return code_;
    }

private:
    enum class phase { waiting, running, releasing };

    [[nodiscard]] int time_out() const {
        const auto deadline = std::min(deadline_.get(), leave_at_);
        if (deadline == never) { return -1; }
        const auto left = std::chrono::ceil<milliseconds>(deadline - boot_clock::now());
        return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
    }

    void take_signals() {
        while (const auto signal = events_.next()) { on_signal(*signal); }
    }

    void on_signal(const arrived_signal& signal) {
        if (signal.number != SIGCONT && signals_.ignored(signal.number)) { return; } // as by nohup
        if (phase_ == phase::running) {
            interrupted_ = interrupted_ || signal.number == SIGINT;
            // The child is of our process group: Ctrl-C has reached it already.
            if (!signal.from_terminal) { guardian_.send({message::kind::signal, signal.number}); }
        } else if (phase_ == phase::waiting ? signal.number != SIGCONT
                                            : is_for_the_release(signal.number)) {
            end_by(signal.number);
        }
    }

    /// Others were meant for the command.
    static bool is_for_the_release(int signal) noexcept {
        return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
    }

    /// Nothing of the command runs. The guardian needs a moment to leave nothing behind on the
    /// engine, but an engine that does not answer is not waited for.
    void end_by(int signal) {
        if (leave_at_ != never) { return; }
        leave_at_ = boot_clock::now() + patience;
        last_signal_ = signal;
        if (phase_ == phase::releasing) { return; } // in time, the command's code is the answer
        guardian_.send({message::kind::cancel});
        die_by(signal);
    }

    void die_by(int signal) noexcept {
        code_ = exit_code::signalled + signal;
        to_die_of_ = signal;
    }

    /// The guardian goes on alone.
    void leave() {
        if (phase_ == phase::releasing) {
            tell(settings_,
                 show_name(settings_.name) + " is being released; not waited for any longer");
        }
        die_by(last_signal_);
        over_ = true;
        guardian_left_ = true;
    }

    void wait_for_guardian() {
        const auto end = boot_clock::now() + patience;
        for (bool closed = guardian_left_; !closed && boot_clock::now() < end;) {
            while (guardian_.receive(closed)) {}
            pollfd only{guardian_.descriptor(), POLLIN, 0};
            if (!closed) { ::poll(&only, 1, static_cast<int>(patience.count())); }
            if (closed) { ::waitpid(guardian_pid_, nullptr, 0); }
        }
    }

    void listen() {
        bool closed = false;
        while (const auto received = guardian_.receive(closed)) {
            switch (received->type) {
            case message::kind::ready: let_begin(static_cast<pid_t>(received->number)); break;
            case message::kind::stopped: stop_too(); break;
            case message::kind::exited: on_exit(static_cast<int>(received->number)); break;
            case message::kind::released: over_ = true; break;
            case message::kind::finished: end_with(static_cast<int>(received->number)); break;
            default: break;
            }
        }
        if (!closed || over_) { return; }
        if (phase_ == phase::waiting && to_die_of_ != 0) { // most likely it has cancelled the wait
            kill_all();
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
        phase_ = phase::running;
        guardian_.send({message::kind::go});
    }

    void end_with(int code) {
        over_ = true;
        if (to_die_of_ == 0) { code_ = code; }
    }

    void on_exit(int status) {
        // A Ctrl-C that ended the child has reached us before, but we may look at both only now.
        take_signals();
        phase_ = phase::releasing;
        child_ = 0;
        if (!WIFSIGNALED(status)) {
            code_ = WEXITSTATUS(status);
            return;
        }
        code_ = exit_code::signalled + WTERMSIG(status);
        // A shell goes on after Ctrl-C with its next command, unless what it ran has died of it.
        if (WTERMSIG(status) == SIGINT && interrupted_) { to_die_of_ = SIGINT; }
    }

    /// The guardian can no longer be relied on to end the child in time.
    void stand_in(const char* what_happened) {
        if (child_ != 0) { ::kill(child_, SIGKILL); } // at once; finding the others takes time
        kill_tree(guardian_pid_);
        ::kill(guardian_pid_, SIGKILL);
        kill_all();
        tell(settings_, std::string{"the guardian "} + what_happened + consequence());
        over_ = true;
        code_ = exit_code::lost;
        to_die_of_ = 0;
    }

    /// What the dead leave behind becomes ours: until there is nobody left to wait for.
    static void kill_all() {
        for (int round = 0; round < 10 && kill_tree(); ++round) {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
            if (!some_child_runs()) { return; }
        }
    }

    [[nodiscard]] const char* consequence() const noexcept {
        switch (phase_) {
        case phase::waiting: return " before the command was started";
        case phase::running:
            return "; the command was ended. The lock is free when its lease is over";
        case phase::releasing:
            return " before the lock was released. It is free when its lease is over";
        }
        return "";
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

    const run_settings& settings_;
    const signal_state& signals_;
    signal_queue events_;
    link_end guardian_;
    pid_t guardian_pid_;
    const shared_deadline& deadline_;
    phase phase_ = phase::waiting;
    pid_t child_ = 0;
    bool interrupted_ = false;
    bool over_ = false;
    bool guardian_left_ = false; ///< it is not waited for
    base::instant leave_at_ = never;
    int last_signal_ = 0; ///< by which we were asked to end
    int code_ = exit_code::internal;
    int to_die_of_ = 0; ///< the signal that we were ended by, also to those who wait for us
};

} // namespace

int run(const run_settings& settings) {
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
        guard(settings, std::move(line.second), deadline, signals, group);
        ::_exit(0);
    }
    line.second.close();
    survive_limits();
    return front{settings, signals, std::move(events), std::move(line.first), guardian, deadline}
        .wait();
}

} // namespace holdfast::cli
