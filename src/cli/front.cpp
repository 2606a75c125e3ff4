#include "cli/front.hpp"

#include "cli/errno_error.hpp"
#include "cli/exit_codes.hpp"
#include "cli/guardian.hpp"
#include "cli/interruption.hpp"
#include "cli/message_socket.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"
#include "cli/shared_deadline.hpp"
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
#include <thread>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using base::boot_clock;
using base::never;
using std::chrono::milliseconds;

const std::vector<int> handled_signals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                       SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

/// The front, from its start to its exit code.
///
///   waiting      ready: running | signal: cancels the wait
///   running      signal: forwarded to the child | exited: releasing
///                guardian gone, or deadline passed: ends the child itself, done
///   releasing    released: done | signal: done after `cancel_timeout` at the latest
///   any          finished: done
class front {
public:
    front(const run_settings& settings, const signal_state& signals, signal_queue events,
          message_socket guardian, pid_t pid, const shared_deadline& deadline)
        : settings_{settings},
          signals_{signals},
          events_{std::move(events)},
          guardian_{std::move(guardian)},
          guardian_pid_{pid},
          deadline_{deadline} {}

    int wait() {
        while (!done_) {
            std::array<pollfd, 2> both{pollfd{events_.descriptor(), POLLIN, 0},
                                       pollfd{guardian_.descriptor(), POLLIN, 0}};
            ::poll(both.data(), both.size(), time_out());
            receive_messages();
            read_signals();
            if (!done_ && boot_clock::now() >= deadline_.get()) {
                replace_guardian("is stopped or late, so the lock is lost", "guardian_late");
            }
            if (!done_ && boot_clock::now() >= give_up_at_) { give_up(); }
        }
        // If the lock was lost, the engine may be unreachable and the guardian may take seconds.
        if (code_ != exit_code::lost) { wait_for_guardian(); }
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {} // a zombie keeps its process group alive
        reclaim_terminal();
        if (death_signal_ != 0) { die_of(death_signal_); }
        return code_;
    }

    [[nodiscard]] bool has_lost() const noexcept { return lost_; } ///< after wait(): the lock
private:
    enum class phase { waiting, running, releasing };

    [[nodiscard]] int time_out() const {
        const auto deadline = std::min(deadline_.get(), give_up_at_);
        if (deadline == never) { return -1; }
        const auto left = std::chrono::ceil<milliseconds>(deadline - boot_clock::now());
        return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
    }

    void read_signals() {
        while (const auto signal = events_.next()) { on_signal(*signal); }
    }

    void on_signal(const received_signal& signal) {
        if (signal.number != SIGCONT && signals_.ignored(signal.number)) { return; } // e.g. nohup
        if (phase_ == phase::running) {
            interrupted_ = interrupted_ || signal.number == SIGINT;
            // The child is in our process group: Ctrl-C has reached it already.
            if (!signal.from_terminal) { guardian_.send({message::kind::signal, signal.number}); }
        } else if (phase_ == phase::waiting ? signal.number != SIGCONT
                                            : ends_release(signal.number)) {
            cancel(signal.number);
        }
    }

    /// Other signals were meant for the command.
    static bool ends_release(int signal) noexcept {
        return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
    }

    /// The command does not run. Gives the guardian `cancel_timeout` to withdraw or release, and no
    /// longer, because the engine may not answer.
    void cancel(int signal) {
        if (give_up_at_ != never) { return; }
        give_up_at_ = boot_clock::now() + cancel_timeout;
        last_signal_ = signal;
        if (phase_ == phase::releasing) { return; } // in time: the command's code is returned
        guardian_.send({message::kind::cancel});
        set_death_signal(signal);
    }

    void set_death_signal(int signal) noexcept {
        code_ = exit_code::signalled + signal;
        death_signal_ = signal;
    }

    /// Ends without the guardian, which continues alone.
    void give_up() {
        if (phase_ == phase::releasing) {
            print_message(settings_, names() + " is still being released; it is free when its "
                                               "lease expires at the latest");
        }
        set_death_signal(last_signal_);
        done_ = true;
        skip_guardian_ = true;
    }

    void wait_for_guardian() {
        const auto end = boot_clock::now() + cancel_timeout;
        for (bool closed = skip_guardian_; !closed && boot_clock::now() < end;) {
            while (guardian_.receive(closed)) {}
            pollfd only{guardian_.descriptor(), POLLIN, 0};
            if (!closed) { ::poll(&only, 1, static_cast<int>(cancel_timeout.count())); }
            if (closed) { ::waitpid(guardian_pid_, nullptr, 0); }
        }
    }

    void receive_messages() {
        bool closed = false;
        while (const auto received = guardian_.receive(closed)) {
            switch (received->type) {
            case message::kind::granted: add_token(received->number); break;
            case message::kind::ready: start_child(static_cast<pid_t>(received->number)); break;
            case message::kind::stopped: stop_with_child(); break;
            case message::kind::exited: on_exited(static_cast<int>(received->number)); break;
            case message::kind::released: done_ = true; break;
            case message::kind::finished: on_finished(static_cast<int>(received->number)); break;
            default: break;
            }
        }
        if (!closed || done_) { return; }
        if (phase_ == phase::waiting &&
            death_signal_ != 0) { // most likely it cancelled the wait and ended
            kill_tree_and_orphans();
            done_ = true;
        } else {
            replace_guardian("was killed", "guardian_killed");
        }
    }

    void add_token(std::int64_t token) {
        tokens_ += (tokens_.empty() ? "" : ",") + std::to_string(token);
    }

    /// Signals that arrived until now cancel the wait. Later ones are for the child, which is in
    /// our process group already.
    void start_child(pid_t child) {
        read_signals();
        if (death_signal_ != 0) { return; } // cancelled; the guardian knows
        child_ = child;
        phase_ = phase::running;
        guardian_.send({message::kind::start});
    }

    void on_finished(int code) {
        done_ = true;
        lost_ = code == exit_code::lost;
        if (death_signal_ == 0) { code_ = code; }
    }

    void on_exited(int status) {
        // A Ctrl-C that ended the child has reached us, too, but we may not have read it yet.
        read_signals();
        phase_ = phase::releasing;
        child_ = 0;
        if (!WIFSIGNALED(status)) {
            code_ = WEXITSTATUS(status);
            return;
        }
        code_ = exit_code::signalled + WTERMSIG(status);
        // After Ctrl-C a shell continues its script, unless the command died of SIGINT.
        if (WTERMSIG(status) == SIGINT && interrupted_) { death_signal_ = SIGINT; }
    }

    /// The guardian cannot end the child in time: ends the child, its tree and the guardian.
    void replace_guardian(const char* failure, const char* reason) {
        if (child_ != 0) { ::kill(child_, SIGKILL); } // first: finding the others takes time
        kill_tree(guardian_pid_);
        ::kill(guardian_pid_, SIGKILL);
        kill_tree_and_orphans();
        print_message(settings_, names() + ": the guardian " + failure + consequence(),
                      log_level::error,
                      {.event = "lost",
                       .reason = reason,
                       .token = tokens_,
                       .exit_code = exit_code::lost,
                       .guardian_pid = guardian_pid_});
        done_ = lost_ = true;
        code_ = exit_code::lost;
        death_signal_ = 0;
    }

    [[nodiscard]] std::string names() const { return quote_names(settings_.names); }
    [[nodiscard]] const char* consequence() const noexcept {
        switch (phase_) {
        case phase::waiting:
            return settings_.election.empty() ? " before the command was started; run it again"
                                              : " before the command was started";
        case phase::running:
            return "; the command was killed, and the lock is free when its lease expires";
        case phase::releasing:
            return " before the lock was released; it is free when its lease expires";
        }
        return "";
    }

    /// The child has stopped itself. We stop too, so that the shell sees a stopped job; the
    /// guardian sends SIGCONT when the child continues or ends. After Ctrl-Z and `fg` the message
    /// is outdated: the child runs.
    void stop_with_child() const {
        for (int check = 0; check < 2; ++check) {
            if (!is_stopped(child_) || !in_foreground()) { return; }
            std::this_thread::sleep_for(milliseconds{20});
        }
        ::raise(SIGSTOP);
    }

    const run_settings& settings_;
    const signal_state& signals_;
    signal_queue events_;
    message_socket guardian_;
    pid_t guardian_pid_;
    std::string tokens_{}; ///< as log_fields has them
    const shared_deadline& deadline_;
    phase phase_ = phase::waiting;
    pid_t child_ = 0;
    bool interrupted_ = false;
    bool done_ = false;
    bool lost_ = false;
    bool skip_guardian_ = false; ///< do not wait for its end
    base::instant give_up_at_ = never;
    int last_signal_ = 0; ///< the one that cancelled
    int code_ = exit_code::internal;
    int death_signal_ = 0; ///< we end by it, so that our parent sees it in the wait status
};

/// Forks a guardian, and waits. `lost` becomes whether the lock was lost.
int run_once(const run_settings& settings, const signal_state& signals, bool& lost) {
    shared_deadline deadline;
    auto sockets = message_socket::make_pair();
    signal_queue events{handled_signals}; // before the fork: if it throws there is no guardian yet
    const auto group = ::getpgrp();
    const auto guardian = ::fork();
    if (guardian < 0) { throw errno_error("cannot fork", errno, raise_process_limit); }
    if (guardian == 0) {
        sockets.first.close();
        run_guardian(settings, std::move(sockets.second), deadline, signals, group);
        ::_exit(0);
    }
    sockets.second.close();
    ignore_limit_signals();
    front front{settings, signals, std::move(events), std::move(sockets.first), guardian, deadline};
    const int code = front.wait();
    lost = front.has_lost();
    return code;
}

} // namespace

int run(const run_settings& settings) {
    const signal_state signals;
    set_to_default(SIGCHLD); // if it is ignored the kernel keeps no exit codes
    adopt_orphans();
    for (;;) {
        bool lost = false;
        const int code = run_once(settings, signals, lost);
        if (!lost || settings.election.empty()) { return code; }
        print_message(settings, quote_name(settings.election) + ": campaigns again",
                      log_level::warning, {.event = "campaigning"});
    }
}

} // namespace holdfast::cli
