#include "cli/guardian.hpp"

#include "cli/duration.hpp"
#include "cli/exit_codes.hpp"
#include "cli/failure_code.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"
#include "cli/spawn.hpp"
#include "cli/waiting.hpp"
#include "holdfast/base/clock.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;
using base::boot_clock;
using base::instant;
using std::chrono::milliseconds;

/// So much before the deadline the last of the child's tree is killed: finding them all takes time.
constexpr milliseconds kill_slack{20};

/// The child and its tree, from the start to the last of them.
///
///   running      child exits: clearing | lease nearly over, or front gone or cancels: ending
///   ending       SIGTERM was sent; grace over or lease over: everything is killed
///   clearing     the child is gone; whatever it left behind gets SIGTERM, then SIGKILL
///   gone         nothing is left: the lock can be released
class guarded_child {
public:
    guarded_child(const run_settings& what, lease& held, link_end& front,
                  const signal_state& signals)
        : what_{what}, held_{held}, front_{front}, signals_{signals}, events_{{SIGCHLD, SIGTERM}} {}

    /// False: it could not be started; the front was told.
    bool start() {
        const auto terminal = terminal_to_give();
        const auto child = spawn(what_.command,
                                 {{"HOLDFAST_NAME", what_.name},
                                  {"HOLDFAST_TOKEN", std::to_string(held_.token())},
                                  {"HOLDFAST_OWNER", held_.owner()}},
                                 signals_, terminal.get());
        if (child.pid == 0) {
            tell(what_.command.front() + ": " + std::strerror(child.error));
            front_.say({word::kind::finished,
                        child.error == ENOENT ? exit_code::not_found : exit_code::not_executable});
            return false;
        }
        child_ = child.pid;
        front_.say({word::kind::started, child_});
        return true;
    }

    void watch() {
        while (state_ != state::gone) {
            look_at_time();
            if (state_ == state::gone) { break; }
            std::array<pollfd, 2> both{pollfd{events_.descriptor(), POLLIN, 0},
                                       pollfd{front_gone_ ? -1 : front_.descriptor(), POLLIN, 0}};
            ::poll(both.data(), both.size(), static_cast<int>(next_look().count()));
            while (const auto signal = events_.next()) {
                if (*signal == SIGTERM) { end_child("the guardian got SIGTERM"); }
            }
            reap();
            if (both[1].revents != 0) { listen(); }
        }
    }

    [[nodiscard]] bool was_lost() const noexcept { return lost_; }
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    enum class state { running, ending, clearing, gone };

    /// The front's terminal, if the front is in its foreground.
    static base::fd terminal_to_give() {
        base::fd terminal{::open("/dev/tty", O_RDWR | O_CLOEXEC)};
        if (!terminal || ::tcgetpgrp(terminal.get()) != ::getpgid(::getppid())) { return {}; }
        return terminal;
    }

    [[nodiscard]] milliseconds left() const noexcept { return held_.remaining(); }

    /// When to look again without being woken: soon enough for each deadline, and often enough for
    /// the front to know of renewals well before its copy of the deadline is over.
    [[nodiscard]] milliseconds next_look() const noexcept {
        auto next = std::clamp<milliseconds>(what_.hold.lease / 6, 5ms, 1s);
        next = std::min(next, std::max<milliseconds>(left() - what_.grace, 1ms));
        next = std::min(next, std::max<milliseconds>(left() - kill_slack, 1ms));
        if (state_ == state::ending || state_ == state::clearing) { next = std::min(next, 20ms); }
        return next;
    }

    void look_at_time() {
        if (left() <= kill_slack) {
            lost_ = lost_ || state_ == state::running || state_ == state::ending;
            kill_all();
            return;
        }
        tell_deadline();
        if (state_ == state::running && left() <= what_.grace) {
            lost_ = true;
            end_child("the lease is nearly over");
        }
        if ((state_ == state::ending || state_ == state::clearing) &&
            boot_clock::now() >= kill_at_) {
            kill_all();
        }
        if (state_ == state::clearing && descendants(::getpid()).empty()) { state_ = state::gone; }
    }

    void tell_deadline() {
        const auto until = boot_clock::now() + left();
        if (until <= told_ + 1ms && told_ != instant{}) { return; }
        told_ = until;
        front_.say({word::kind::deadline, until.time_since_epoch().count()});
    }

    void end_child(const char* why) {
        if (state_ != state::running) { return; }
        tell(what_, std::string{why} + ": ending the command");
        state_ = state::ending;
        kill_at_ = boot_clock::now() + what_.grace;
        ::kill(-child_, SIGTERM);
        ::kill(-child_, SIGCONT); // or it could not hear of it
        signal_tree(::getpid(), SIGTERM);
    }

    void kill_all() {
        if (!kill_tree(::getpid())) {
            tell(what_, "some processes of the command cannot be killed");
        }
        reap();
        state_ = state::gone;
    }

    void reap() {
        int status = 0;
        pid_t pid = 0;
        while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
            if (pid != child_ || WIFCONTINUED(status)) { continue; }
            if (WIFSTOPPED(status)) {
                front_.say({word::kind::stopped, WSTOPSIG(status)});
                continue;
            }
            status_ = status;
            begin_clearing();
        }
    }

    /// The command is over; the lock must not be given up before what it left behind is over too.
    void begin_clearing() {
        child_ = 0;
        if (state_ == state::running) { kill_at_ = boot_clock::now() + what_.grace; }
        state_ = state::clearing;
        if (descendants(::getpid()).empty()) {
            state_ = state::gone;
        } else {
            signal_tree(::getpid(), SIGTERM);
        }
    }

    void listen() {
        bool closed = false;
        while (const auto said = front_.hear(closed)) {
            if (child_ == 0) { continue; }
            switch (said->what) {
            case word::kind::signal: ::kill(-child_, static_cast<int>(said->number)); break;
            case word::kind::resume: resume(said->number != 0); break;
            case word::kind::cancel: end_child("asked to end"); break;
            default: break;
            }
        }
        if (closed) {
            front_gone_ = true;
            if (state_ == state::running) { end_child("holdfast run was killed"); }
        }
    }

    void resume(bool with_terminal) {
        if (with_terminal) {
            if (const base::fd terminal{::open("/dev/tty", O_RDWR | O_CLOEXEC)}) {
                ::tcsetpgrp(terminal.get(), child_);
            }
        }
        ::kill(-child_, SIGCONT);
    }

    const run_settings& what_;
    lease& held_;
    link_end& front_;
    const signal_state& signals_;
    signal_queue events_;
    state state_ = state::running;
    pid_t child_ = 0;
    int status_ = 0;
    bool lost_ = false;
    bool front_gone_ = false;
    instant kill_at_{};
    instant told_{};
};

void hold_and_run(const run_settings& what, link_end& front, const signal_state& signals) {
    client fleet{what.url.empty() ? "embedded:" : what.url};
    bool cancelled = false;
    auto held = get_lock(fleet, what, front, cancelled);
    if (!held) {
        if (cancelled) { return; } // the front knows
        tell(what, show_name(what.name) + " is held by another");
        front.say({word::kind::finished, what.busy_code});
        return;
    }
    guarded_child child{what, *held, front, signals};
    if (!child.start()) { return; }
    // Whoever reads what the child writes must not wait for us.
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    child.watch();
    if (child.was_lost()) {
        tell(what, show_name(what.name) + ": the lock was lost; the command was ended");
        front.say({word::kind::finished, exit_code::lost});
        return; // what is left of the lease ends by itself
    }
    // Nothing runs any more, so that nothing has to be ended in time: releasing may take its own.
    front.say({word::kind::deadline, base::never.time_since_epoch().count()});
    std::error_code failure;
    held->release(failure);
    if (failure) { tell(what, "the lock could not be released: " + failure.message()); }
    front.say({word::kind::exited, child.status()});
}

} // namespace

void guard(const run_settings& what, link_end front, const signal_state& signals) {
    // Out of the shell's job: Ctrl-Z stops front and child, but the lock is still renewed.
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "hf-guardian");
    adopt_orphans();
    ignore({SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGUSR1, SIGUSR2});
    try {
        hold_and_run(what, front, signals);
    } catch (const error& problem) {
        tell(problem.what());
        front.say({word::kind::finished, code_of(problem)});
    } catch (const std::exception& problem) {
        tell(problem.what());
        front.say({word::kind::finished, exit_code::internal});
    }
}

} // namespace holdfast::cli
