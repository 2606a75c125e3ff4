#include "cli/guarded_child.hpp"

#include "cli/duration.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

using namespace std::chrono_literals;
using base::boot_clock;

void publish_deadline(const guardian_context& context, const held_lock& held) {
    const auto now = boot_clock::now(); // read first: the result is never later than the deadline
    context.deadline.set(now + held.remaining());
}

bool guarded_child::start(prepared_child& prepared) {
    const auto pid = prepared.pid();
    if (const int error = prepared.start(); error != 0) {
        const char* const advice =
            settings_.follows_dashes ? "" : "; several names need -- before the command";
        status_ = W_EXITCODE(print_start_failure(settings_.command.front(), error, advice), 0);
        return false;
    }
    child_ = pid;
    return true;
}

void guarded_child::watch() {
    while (state_ != state::gone) {
        check_deadlines();
        if (state_ == state::gone) { break; }
        std::array<pollfd, 3> all{pollfd{context_.events.descriptor(), POLLIN, 0},
                                  pollfd{front_gone_ ? -1 : context_.front.descriptor(), POLLIN, 0},
                                  pollfd{loss_.descriptor(), POLLIN, 0}};
        ::poll(all.data(), all.size(), static_cast<int>(poll_timeout().count()));
        while (const auto signal = context_.events.next()) {
            if (signal->number == SIGTERM) {
                terminate("the guardian got SIGTERM", {.event = "ending", .reason = "sigterm"});
            }
        }
        reap();
        if (all[1].revents != 0) { receive_messages(); }
    }
}

/// Short enough for each deadline, and to publish renewals well before the deadline that the front
/// sees.
std::chrono::milliseconds guarded_child::poll_timeout() const noexcept {
    auto timeout = std::clamp<milliseconds>(settings_.hold.lease / 6, 5ms, 1s);
    timeout = std::min(timeout, std::max<milliseconds>(left() - settings_.grace, 1ms));
    timeout = std::min(timeout, std::max<milliseconds>(left() - kill_slack, 1ms));
    if (state_ == state::ending || state_ == state::clearing) { timeout = std::min(timeout, 20ms); }
    return timeout;
}

void guarded_child::check_deadlines() {
    if (left() <= kill_slack) {
        lost_ = lost_ || state_ == state::running || state_ == state::ending;
        kill_all();
        return;
    }
    publish_deadline(context_, held_);
    if (state_ == state::running) { renewals_.update(); }
    if (state_ == state::running && left() <= settings_.grace) {
        lost_ = true;
        terminate_before_expiry();
    }
    if ((state_ == state::ending || state_ == state::clearing) && boot_clock::now() >= kill_at_) {
        kill_all();
    }
    if (state_ == state::clearing && childless_) { state_ = state::gone; }
}

/// Without a failed renewal the cause is not known yet: one may still be without a reply.
void guarded_child::terminate_before_expiry() {
    if (max_hold_ends()) {
        return terminate("--max-hold is about to end",
                         {.event = "about_to_expire", .reason = "max_hold"});
    }
    const auto failure = losses_.renewal_failure();
    if (failure.empty()) {
        return terminate("the lease is about to expire", {.event = "about_to_expire"});
    }
    terminate("the lease is about to expire", {.event = "about_to_expire", .reason = "unreachable"},
              "; it could not be renewed: " + escape_text(failure));
}

/// The lease and --max-hold end at different times, unless the lease has just been cut to it.
bool guarded_child::max_hold_ends() const noexcept {
    const auto most = settings_.hold.max_hold;
    if (most <= 0ms) { return false; }
    const auto slack = std::min(settings_.hold.lease, most) / 4; // the margin, and a slow reply
    return boot_clock::now() + std::max(left(), 0ms) - held_since_ >= most - slack;
}

std::string guarded_child::ending() const {
    const auto grace = format_duration(settings_.grace);
    if (!terminated_) {
        return killed_ ? "the command was killed at once" : "the command has ended";
    }
    return killed_ ? "the command did not end within " + grace + " of SIGTERM and was killed"
                   : "the command ended on SIGTERM";
}

void guarded_child::terminate(const char* reason, log_fields fields, const std::string& cause) {
    if (state_ != state::running) { return; }
    fields.token = held_.log_tokens();
    print_message(settings_,
                  quote_names(settings_.names) + ": " + reason + ": ending the command" + cause,
                  log_level::warning, fields);
    terminated_ = true;
    state_ = state::ending;
    kill_at_ = boot_clock::now() + settings_.grace;
    send_sigterm();
}

/// To each process once. A stopped process handles SIGTERM only after SIGCONT.
void guarded_child::send_sigterm() {
    for (const auto pid : descendants()) {
        if (!sigterm_sent_.insert(pid).second) { continue; }
        ::kill(pid, SIGTERM);
        ::kill(pid, SIGCONT);
    }
}

void guarded_child::kill_all() {
    killed_ = killed_ || child_ != 0;
    if (killed_ && !lost_) {
        print_message(settings_, quote_names(settings_.names) + ": " + ending());
    }
    childless_ = false;
    for (int round = 0; round < 10 && !childless_; ++round) {
        kill_tree();
        reap();
    }
    if (!childless_) {
        print_message(settings_,
                      quote_names(settings_.names) +
                          ": some processes of the command cannot be killed; end them by hand");
    }
    state_ = state::gone;
}

/// Waits for exited children. Orphans of the tree become our children: without a child, the tree
/// is empty.
void guarded_child::reap() {
    int status = 0;
    pid_t pid = 0;
    bool some_ended = false;
    while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid == child_) { on_status_change(status); }
        some_ended = some_ended || WIFEXITED(status) || WIFSIGNALED(status);
    }
    childless_ = pid < 0 && errno == ECHILD;
    const bool ends = state_ == state::ending || state_ == state::clearing;
    if (ends && some_ended && !childless_ && !sees_whole_tree()) { send_sigterm(); }
    if (child_ == 0 && state_ != state::clearing && state_ != state::gone) { begin_clearing(); }
}

void guarded_child::on_status_change(int status) {
    if (WIFSTOPPED(status)) {
        front_may_have_stopped_ = true;
        context_.front.send({message::kind::stopped});
        return;
    }
    if (std::exchange(front_may_have_stopped_, false) && !front_gone_) {
        ::kill(::getppid(), SIGCONT);
    }
    if (WIFCONTINUED(status)) { return; }
    status_ = status;
    child_ = 0;
}

/// The command has exited; the lock must not be released while processes that it left behind run.
void guarded_child::begin_clearing() {
    if (state_ == state::running) { kill_at_ = boot_clock::now() + settings_.grace; }
    state_ = childless_ ? state::gone : state::clearing;
    if (state_ == state::gone) { return; }
    send_sigterm();
}

void guarded_child::receive_messages() {
    bool closed = false;
    while (const auto received = context_.front.receive(closed)) {
        if (received->type == message::kind::cancel) {
            terminate("cancelled by a signal", {.event = "ending", .reason = "signal"});
        }
        if (received->type == message::kind::signal) {
            forward_signal(static_cast<int>(received->number));
        }
    }
    if (closed) {
        front_gone_ = true;
        terminate("holdfast run was killed", {.event = "ending", .reason = "front_killed"});
    }
}

/// To the child, and to the processes of its tree that are in the job's process group.
void guarded_child::forward_signal(int signal) const {
    if (child_ == 0) { return; }
    if (::getpgid(child_) != context_.group) { ::kill(child_, signal); }
    signal_group_in_tree(signal, context_.group);
}

} // namespace holdfast::cli
