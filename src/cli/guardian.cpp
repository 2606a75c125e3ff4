#include "cli/guardian.hpp"

#include "cli/exit_codes.hpp"
#include "cli/failure_code.hpp"
#include "cli/guarded_child.hpp"
#include "cli/interruption.hpp"
#include "cli/messages.hpp"
#include "cli/process_tree.hpp"
#include "cli/run_owners.hpp"
#include "cli/spawn.hpp"
#include "cli/token_text.hpp"
#include "cli/waiting.hpp"
#include "holdfast/base/fd.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using base::boot_clock;
using std::chrono::milliseconds;

/// Whether the front still wants the command, which is ready to start. If the job was stopped
/// meanwhile (Ctrl-Z), the front answers after SIGCONT.
bool is_wanted(const post& at, const lease& held, pid_t ready) {
    tell_deadline(at, held); // first: the front reads it after our message
    at.front.send({message::kind::ready, ready});
    for (;;) {
        bool closed = false;
        while (const auto received = at.front.receive(closed)) {
            if (received->type == message::kind::cancel) { return false; }
            if (received->type == message::kind::go) { return held.valid(); }
        }
        while (const auto signal = at.events.next()) {
            if (signal->number == SIGTERM) { return false; }
        }
        if (closed || !held.valid()) { return false; }
        std::array<pollfd, 2> both{pollfd{at.front.descriptor(), POLLIN, 0},
                                   pollfd{at.events.descriptor(), POLLIN, 0}};
        ::poll(both.data(), both.size(), 50);
        tell_deadline(at, held);
    }
}

/// Whether to stop waiting: the front says so, or the guardian got SIGTERM.
bool is_cancelled(const post& at) {
    bool closed = false;
    while (const auto received = at.front.receive(closed)) {
        if (received->type == message::kind::cancel || received->type == message::kind::signal) {
            return true;
        }
    }
    while (const auto signal = at.events.next()) {
        if (signal->number == SIGTERM) { return true; }
    }
    return closed;
}

/// Empty if someone else holds the lock, or if `cancelled`; nothing is held then.
std::optional<lease> get_unless_cancelled(client& fleet, const post& at, base::instant end,
                                          bool& cancelled) {
    std::optional<milliseconds> wait;
    if (end != base::never) {
        wait = std::max(std::chrono::ceil<milliseconds>(end - boot_clock::now()), milliseconds{0});
    }
    std::optional<lease> held;
    std::stop_token stop;
    {
        const interruption_watch watch{
            {{at.front.descriptor(), at.events.descriptor()}, [&at] { return is_cancelled(at); }}};
        stop = watch.stop();
        held = get_lock(fleet, at.settings, wait, stop);
    } // from here on only this thread reads the front's messages
    cancelled = stop.stop_requested();
    if (!cancelled) { return held; }
    if (held) { give_back(*held); } // granted at the same moment
    return std::nullopt;
}

/// Retries if the lease has nearly expired by the time that we see it, because we were stopped. A
/// lease from a hand-off is short until its first renewal, which we cannot wait for.
std::optional<lease> get_good_lock(client& fleet, const post& at, bool& cancelled) {
    constexpr std::chrono::hours century{24L * 365 * 100}; // counts as no limit
    const auto end = at.settings.wait && *at.settings.wait < century
                         ? base::later(boot_clock::now(), *at.settings.wait)
                         : base::never;
    for (;;) {
        auto held = get_unless_cancelled(fleet, at, end, cancelled);
        if (!held || held->remaining() > at.settings.grace + kill_slack) { return held; }
        std::error_code failure;
        held->extend(at.settings.hold.lease, failure);
        if (!failure && held->remaining() > at.settings.grace + kill_slack) { return held; }
    }
}

/// Closes the child's streams here, so that their readers and writers do not wait for us.
void let_go_of_streams() {
    const base::fd nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(nothing.get(), STDOUT_FILENO);
}

void hold_and_run(const post& at) {
    const auto& settings = at.settings;
    if (settings.loud == loudness::verbose && !sees_whole_tree()) {
        tell("/proc does not show this pid namespace: SIGTERM reaches only the command itself and "
             "its orphans, SIGKILL reaches everything");
    }
    auto fleet = settings.where.open();
    bool cancelled = false;
    auto held = get_good_lock(fleet, at, cancelled);
    if (!held) {
        if (!cancelled) { tell(settings, show_name(settings.name) + " is held by another"); }
        at.front.send({message::kind::finished,
                       cancelled ? exit_code::signalled + SIGTERM : settings.busy_code});
        return;
    }
    ready_child ready{settings.command,
                      {{"HOLDFAST_NAME", settings.name},
                       {"HOLDFAST_TOKEN", token_text(*held)},
                       {"HOLDFAST_OWNER", held->owner()},
                       {run_owners, owners_with(held->owner())}},
                      at.signals,
                      at.group};
    if (!is_wanted(at, *held, ready.pid())) {
        const bool valid = held->valid();
        at.deadline.set(base::never);
        if (valid) { give_back(*held); }
        at.front.send(
            {message::kind::finished, valid ? exit_code::signalled + SIGTERM : exit_code::lost});
        return;
    }
    guarded_child child{at, *held};
    if (child.start(ready)) {
        let_go_of_streams();
        child.watch();
    }
    if (child.was_lost()) {
        tell(settings, show_name(settings.name) + ": the lock was lost; the command was ended");
        at.front.send({message::kind::finished, exit_code::lost});
        return; // the rest of the lease expires
    }
    at.deadline.set(base::never); // the command has ended: the release has time
    at.front.send({message::kind::exited, child.status()});
    give_back(*held);
    at.front.send({message::kind::released});
}

} // namespace

void guard(const run_settings& settings, link_end front, shared_deadline& deadline,
           const signal_state& signals, pid_t group) {
    // Out of the shell's job: Ctrl-Z stops front and child, but the lock is still renewed.
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "hf-guardian");
    adopt_orphans();
    ignore({SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2});
    survive_limits();
    try {
        const post at{settings, front, deadline, signals, group};
        hold_and_run(at);
    } catch (const error& problem) {
        tell(problem.what());
        front.send({message::kind::finished, code_of(problem)});
    } catch (const std::exception& problem) {
        tell(problem.what());
        front.send({message::kind::finished, exit_code::internal});
    }
}

} // namespace holdfast::cli
