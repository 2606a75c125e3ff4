#include "cli/front.hpp"

#include "cli/exit_codes.hpp"
#include "cli/guardian.hpp"
#include "cli/link.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"
#include "cli/signals.hpp"
#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using base::boot_clock;
using base::instant;
using base::never;
using std::chrono::milliseconds;

const std::vector<int> passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

class front {
public:
    front(const run_settings& what, const signal_state& signals, link_end guardian, pid_t pid)
        : what_{what},
          signals_{signals},
          guardian_{std::move(guardian)},
          guardian_pid_{pid},
          events_{events()} {}

    int wait() {
        while (!code_) {
            std::array<pollfd, 2> both{pollfd{events_.descriptor(), POLLIN, 0},
                                       pollfd{guardian_.descriptor(), POLLIN, 0}};
            ::poll(both.data(), both.size(), time_out());
            listen();
            while (const auto signal = events_.next()) { on_signal(*signal); }
            if (!code_ && boot_clock::now() >= deadline_) { stand_in("is stopped"); }
        }
        ::waitpid(guardian_pid_, nullptr, 0);
        take_terminal();
        return finish();
    }

private:
    static std::vector<int> events() {
        auto all = passed_on;
        all.push_back(SIGCONT);
        return all;
    }

    [[nodiscard]] int time_out() const {
        if (deadline_ == never) { return -1; }
        const auto left = std::chrono::ceil<milliseconds>(deadline_ - boot_clock::now());
        return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000));
    }

    void on_signal(int signal) {
        if (signal == SIGCONT) {
            if (child_group_ != 0) { guardian_.say({word::kind::resume, give_terminal() ? 1 : 0}); }
            return;
        }
        if (signals_.ignored(signal)) { return; } // as under nohup
        if (child_group_ == 0) {
            guardian_.say({word::kind::cancel});
            cancelled_by_ = signal;
            code_ = exit_code::signalled + signal;
            return;
        }
        guardian_.say({word::kind::signal, signal});
    }

    void listen() {
        bool closed = false;
        while (const auto said = guardian_.hear(closed)) {
            switch (said->what) {
            case word::kind::started: child_group_ = static_cast<pid_t>(said->number); break;
            case word::kind::deadline: deadline_ = instant{base::duration{said->number}}; break;
            case word::kind::stopped: stop_too(static_cast<int>(said->number)); break;
            case word::kind::exited: on_exit(static_cast<int>(said->number)); break;
            case word::kind::finished: code_ = static_cast<int>(said->number); break;
            default: break;
            }
        }
        if (closed && !code_) { stand_in("was killed"); }
    }

    void on_exit(int status) {
        if (WIFSIGNALED(status)) {
            killed_by_ = WTERMSIG(status);
            code_ = exit_code::signalled + killed_by_;
        } else {
            code_ = WEXITSTATUS(status);
        }
    }

    /// The guardian can no longer be relied on to end the child in time.
    void stand_in(const char* what_happened) {
        if (child_group_ != 0) { ::kill(-child_group_, SIGKILL); }
        kill_tree(::getpid(), guardian_pid_);
        ::kill(guardian_pid_, SIGKILL);
        kill_tree(::getpid());
        tell(what_, std::string{"the guardian "} + what_happened +
                        "; the command was ended. The lock is free when its lease is over");
        code_ = exit_code::lost;
    }

    /// The child was stopped, by Ctrl-Z say: so is the job, for the shell to see.
    void stop_too(int signal) {
        take_terminal();
        ::kill(0, signal == SIGSTOP ? SIGSTOP : SIGTSTP);
    }

    /// True if this job is in the foreground of its terminal.
    static bool give_terminal() {
        const base::fd terminal{::open("/dev/tty", O_RDWR | O_CLOEXEC)};
        return terminal && ::tcgetpgrp(terminal.get()) == ::getpgrp();
    }

    void take_terminal() const {
        if (child_group_ == 0) { return; }
        const base::fd terminal{::open("/dev/tty", O_RDWR | O_CLOEXEC)};
        if (!terminal || ::tcgetpgrp(terminal.get()) != child_group_) { return; }
        ::tcsetpgrp(terminal.get(), ::getpgrp());
    }

    /// Ctrl-C only reached the child's group. If the child died of it, so does the whole job, as it
    /// would have without us: otherwise a script would go on with its next line.
    [[nodiscard]] int finish() const {
        if (killed_by_ == SIGINT && !signals_.ignored(SIGINT) && give_terminal()) {
            struct sigaction usual {};
            usual.sa_handler = SIG_DFL;
            ::sigaction(SIGINT, &usual, nullptr);
            sigset_t only;
            ::sigemptyset(&only);
            ::sigaddset(&only, SIGINT);
            ::kill(0, SIGINT);
            ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
        }
        return *code_;
    }

    const run_settings& what_;
    const signal_state& signals_;
    link_end guardian_;
    pid_t guardian_pid_;
    signal_queue events_;
    pid_t child_group_ = 0;
    instant deadline_ = never;
    std::optional<int> code_;
    int killed_by_ = 0;
    int cancelled_by_ = 0;
};

} // namespace

int run(const run_settings& what) {
    const signal_state signals;
    // Before the fork, so that no signal is lost between.
    adopt_orphans();
    auto [mine, theirs] = link_end::make();
    const auto guardian = ::fork();
    if (guardian < 0) { throw std::system_error{errno, std::generic_category(), "cannot fork"}; }
    if (guardian == 0) {
        mine.close();
        guard(what, std::move(theirs), signals);
        ::_exit(0);
    }
    theirs.close();
    ignore({SIGTTOU}); // taking the terminal back is done from the background
    return front{what, signals, std::move(mine), guardian}.wait();
}

} // namespace holdfast::cli
