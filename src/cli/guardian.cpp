#include "cli/guardian.hpp"

#include "cli/error_exit_code.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/guarded_child.hpp"
#include "cli/held_lock.hpp"
#include "cli/hold_log.hpp"
#include "cli/interruption.hpp"
#include "cli/lock_operations.hpp"
#include "cli/loss_record.hpp"
#include "cli/messages.hpp"
#include "cli/metrics_export.hpp"
#include "cli/nested_hold.hpp"
#include "cli/prepared_child.hpp"
#include "cli/process_tree.hpp"
#include "cli/run_owners.hpp"
#include "holdfast/base/fd.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

using base::boot_clock;
using std::chrono::milliseconds;

/// For the line that the front prints if this process is killed.
void send_tokens(const guardian_context& context, const held_lock& held) {
    std::istringstream tokens{held.tokens()};
    for (std::int64_t token = 0; tokens >> token;) {
        context.front.send({message::kind::granted, token});
    }
}

/// Asks the front whether to start the command, which is ready. False: cancelled, or the lease was
/// lost meanwhile. If the job was stopped (Ctrl-Z), the front answers after SIGCONT.
bool front_confirms_start(const guardian_context& context, const held_lock& held, pid_t child) {
    publish_deadline(context, held); // before the message, after which the front reads it
    send_tokens(context, held);
    context.front.send({message::kind::ready, child});
    for (;;) {
        bool closed = false;
        while (const auto received = context.front.receive(closed)) {
            if (received->type == message::kind::cancel) { return false; }
            if (received->type == message::kind::start) { return held.valid(); }
        }
        while (const auto signal = context.events.next()) {
            if (signal->number == SIGTERM) { return false; }
        }
        if (closed || !held.valid()) { return false; }
        std::array<pollfd, 2> both{pollfd{context.front.descriptor(), POLLIN, 0},
                                   pollfd{context.events.descriptor(), POLLIN, 0}};
        ::poll(both.data(), both.size(), 50);
        publish_deadline(context, held);
    }
}

/// Whether to stop waiting: the front says so or is gone, or the guardian got SIGTERM.
bool is_cancelled(const guardian_context& context) {
    bool closed = false;
    while (const auto received = context.front.receive(closed)) {
        if (received->type == message::kind::cancel || received->type == message::kind::signal) {
            return true;
        }
    }
    while (const auto signal = context.events.next()) {
        if (signal->number == SIGTERM) { return true; }
    }
    return closed;
}

/// Empty if someone else holds the lock, or if `cancelled`; nothing is held then.
std::optional<held_lock> acquire_unless_cancelled(client& client, const guardian_context& context,
                                                  base::instant end, bool& cancelled) {
    std::optional<milliseconds> wait;
    if (end != base::never) {
        wait = std::max(std::chrono::ceil<milliseconds>(end - boot_clock::now()), milliseconds{0});
    }
    std::optional<held_lock> held;
    std::stop_token stop;
    {
        const interruption_watch watch{{{context.front.descriptor(), context.events.descriptor()},
                                        [&context] { return is_cancelled(context); }}};
        stop = watch.stop();
        held = acquire_names(client, context.settings, wait, stop);
    } // from here on only this thread reads the front's messages
    cancelled = stop.stop_requested();
    if (!cancelled) { return held; }
    if (held) { held->release(context.settings.names); } // granted at the same moment
    return std::nullopt;
}

/// Retries if the lease has nearly expired by the time that we see it, because we were stopped. A
/// lease from a hand-off is short until its first renewal, which we cannot wait for.
std::optional<held_lock> acquire_with_time_left(client& client, const guardian_context& context,
                                                bool& cancelled) {
    constexpr std::chrono::hours century{24L * 365 * 100}; // a longer wait has no limit
    const auto end = context.settings.wait && *context.settings.wait < century
                         ? base::later(boot_clock::now(), *context.settings.wait)
                         : base::never;
    for (;;) {
        auto held = acquire_unless_cancelled(client, context, end, cancelled);
        if (!held || held->remaining() > context.settings.grace + kill_slack) { return held; }
        std::error_code failure;
        held->extend(context.settings.hold.lease, failure);
        if (!failure && held->remaining() > context.settings.grace + kill_slack) { return held; }
    }
}

/// Closes our copies of the child's streams, so that readers of a pipe see its end when the child
/// exits.
void close_streams() {
    const base::fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    ::dup2(null.get(), STDIN_FILENO);
    ::dup2(null.get(), STDOUT_FILENO);
}

/// If it fails the command runs all the same: observers know the leader, but not its value.
void publish_value(const client& client, const run_settings& settings, const lease& held) {
    std::error_code failure;
    const election office{client, settings.election};
    if (!office.publish(held, settings.published, failure)) {
        print_message(settings, quote_name(settings.election) +
                                    ": the value could not be published: " + failure.message());
    }
}

void hold_and_run(const guardian_context& context) {
    const auto& settings = context.settings;
    if (settings.verbosity == verbosity::verbose && !sees_whole_tree()) {
        print_message(
            "/proc does not show this pid namespace: SIGTERM reaches only the command itself and "
            "its orphans, SIGKILL reaches everything; mount /proc in this namespace",
            log_level::warning);
    }
    refuse_nested_hold(settings);
    const auto losses = std::make_shared<loss_record>();
    auto engine = settings.engine;
    engine.options.observer = losses;
    auto client = engine.open();
    const metrics_export metrics{client, settings.metrics, join_names(settings.names)};
    bool cancelled = false;
    hold_log log{settings};
    auto held = acquire_with_time_left(client, context, cancelled);
    if (!held) {
        if (!cancelled) { print_busy(settings); }
        context.front.send({message::kind::finished,
                            cancelled ? exit_code::signalled + SIGTERM : settings.busy_code});
        return;
    }
    if (!settings.election.empty()) { publish_value(client, settings, held->single()); }
    log.acquired(*held);
    prepared_child prepared{settings.command,
                            {{"HOLDFAST_NAME", held->names()},
                             {"HOLDFAST_TOKEN", held->tokens()},
                             {"HOLDFAST_OWNER", held->owners()},
                             {run_owners_variable, append_run_owner(held->owners())}},
                            context.signals,
                            context.group};
    if (!front_confirms_start(context, *held, prepared.pid())) {
        const bool valid = held->valid();
        context.deadline.set(base::never);
        if (valid) { held->release(settings.names); }
        context.front.send(
            {message::kind::finished, valid ? exit_code::signalled + SIGTERM : exit_code::lost});
        return;
    }
    guarded_child child{context, *held, *losses};
    if (child.start(prepared)) {
        close_streams();
        child.watch();
    }
    if (child.was_lost()) {
        log.lost(losses->cause(held->why_lost(), child.max_hold_ends()), child.ending());
        context.front.send({message::kind::finished, exit_code::lost});
        return; // the rest of the lease expires
    }
    log.command_ended(child.status());
    context.deadline.set(base::never); // the command has ended: the release is not urgent
    context.front.send({message::kind::exited, child.status()});
    if (held->release(settings.names)) { log.released(); }
    context.front.send({message::kind::released});
}

} // namespace

void run_guardian(const run_settings& settings, message_socket front, shared_deadline& deadline,
                  const signal_state& signals, pid_t group) {
    // Leave the shell's job: Ctrl-Z stops the front and the child, but the lock is still renewed.
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, "hf-guardian");
    adopt_orphans();
    ignore({SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2});
    ignore_limit_signals();
    try {
        const guardian_context context{settings, front, deadline, signals, group};
        hold_and_run(context);
    } catch (const error& problem) {
        const int code = exit_code_for(problem);
        print_message(acquire_failure(problem, settings), log_level::error,
                      {.event = "failed", .exit_code = code});
        front.send({message::kind::finished, code});
    } catch (const std::exception& problem) {
        print_message(problem.what());
        front.send({message::kind::finished, exit_code::internal});
    }
}

} // namespace holdfast::cli
