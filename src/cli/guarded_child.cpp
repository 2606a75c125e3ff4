#include "cli/guarded_child.hpp"

#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

using namespace std::chrono_literals;
using base::boot_clock;

void tell_deadline(const post& at, const lease& held) {
    const auto now = boot_clock::now(); // first, so that it is never too late
    at.deadline.set(now + held.remaining());
}

bool guarded_child::start(ready_child& ready) {
    const auto pid = ready.pid();
    if (const int error = ready.go(); error != 0) {
        tell(settings_.command.front() + ": " + std::generic_category().message(error));
        status_ = W_EXITCODE(error == ENOENT ? exit_code::not_found : exit_code::not_executable, 0);
        return false;
    }
    child_ = pid;
    return true;
}

void guarded_child::watch() {
    while (state_ != state::gone) {
        look_at_time();
        if (state_ == state::gone) { break; }
        std::array<pollfd, 3> all{pollfd{at_.events.descriptor(), POLLIN, 0},
                                  pollfd{front_gone_ ? -1 : at_.front.descriptor(), POLLIN, 0},
                                  pollfd{loss_.descriptor(), POLLIN, 0}};
        ::poll(all.data(), all.size(), static_cast<int>(next_look().count()));
        while (const auto signal = at_.events.next()) {
            if (signal->number == SIGTERM) { end_child("the guardian got SIGTERM"); }
        }
        reap();
        if (all[1].revents != 0) { listen(); }
    }
}

/// When to look again without being woken: soon enough for each deadline, and often enough for
/// the front to know of renewals well before the deadline that it knows.
std::chrono::milliseconds guarded_child::next_look() const noexcept {
    auto next = std::clamp<milliseconds>(settings_.hold.lease / 6, 5ms, 1s);
    next = std::min(next, std::max<milliseconds>(left() - settings_.grace, 1ms));
    next = std::min(next, std::max<milliseconds>(left() - kill_slack, 1ms));
    if (state_ == state::ending || state_ == state::clearing) { next = std::min(next, 20ms); }
    return next;
}

void guarded_child::look_at_time() {
    if (left() <= kill_slack) {
        lost_ = lost_ || state_ == state::running || state_ == state::ending;
        kill_all();
        return;
    }
    tell_deadline(at_, held_);
    if (state_ == state::running && left() <= settings_.grace) {
        lost_ = true;
        end_child("the lease is nearly over");
    }
    if ((state_ == state::ending || state_ == state::clearing) && boot_clock::now() >= kill_at_) {
        kill_all();
    }
    if (state_ == state::clearing && childless_) { state_ = state::gone; }
}

void guarded_child::end_child(const char* why) {
    if (state_ != state::running) { return; }
    tell(settings_, std::string{why} + ": ending the command");
    state_ = state::ending;
    kill_at_ = boot_clock::now() + settings_.grace;
    ask_all_to_end();
}

/// Once each. Those that are stopped could not hear of it without SIGCONT.
void guarded_child::ask_all_to_end() {
    for (const auto pid : descendants()) {
        if (!asked_.insert(pid).second) { continue; }
        ::kill(pid, SIGTERM);
        ::kill(pid, SIGCONT);
    }
}

void guarded_child::kill_all() {
    childless_ = false;
    for (int round = 0; round < 10 && !childless_; ++round) {
        kill_tree();
        reap();
    }
    if (!childless_) { tell(settings_, "some processes of the command cannot be killed"); }
    state_ = state::gone;
}

/// Collects the dead. Orphans of the tree become our children: without a child there is no tree.
void guarded_child::reap() {
    int status = 0;
    pid_t pid = 0;
    bool some_ended = false;
    while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid == child_) { on_change(status); }
        some_ended = some_ended || WIFEXITED(status) || WIFSIGNALED(status);
    }
    childless_ = pid < 0 && errno == ECHILD;
    const bool ends = state_ == state::ending || state_ == state::clearing;
    if (ends && some_ended && !childless_ && !sees_whole_tree()) { ask_all_to_end(); }
    if (child_ == 0 && state_ != state::clearing && state_ != state::gone) { begin_clearing(); }
}

void guarded_child::on_change(int status) {
    if (WIFSTOPPED(status)) {
        front_may_have_stopped_ = true;
        at_.front.send({message::kind::stopped});
        return;
    }
    if (std::exchange(front_may_have_stopped_, false) && !front_gone_) {
        ::kill(::getppid(), SIGCONT);
    }
    if (WIFCONTINUED(status)) { return; }
    status_ = status;
    child_ = 0;
}

/// The command is over; the lock must not be given up before what it left behind is over too.
void guarded_child::begin_clearing() {
    if (state_ == state::running) { kill_at_ = boot_clock::now() + settings_.grace; }
    state_ = childless_ ? state::gone : state::clearing;
    if (state_ == state::gone) { return; }
    ask_all_to_end();
}

void guarded_child::listen() {
    bool closed = false;
    while (const auto received = at_.front.receive(closed)) {
        if (received->type == message::kind::cancel) { end_child("asked to end"); }
        if (received->type == message::kind::signal) {
            pass_on(static_cast<int>(received->number));
        }
    }
    if (closed) {
        front_gone_ = true;
        end_child("holdfast run was killed");
    }
}

/// To the child and those of its tree that are of the same job.
void guarded_child::pass_on(int signal) const {
    if (child_ == 0) { return; }
    if (::getpgid(child_) != at_.group) { ::kill(child_, signal); }
    signal_group_in_tree(signal, at_.group);
}

} // namespace holdfast::cli
