// acquire, renew, release: for scripts that cannot run their work as one command.

#include "cli/commands.hpp"
#include "cli/engine_flags.hpp"
#include "cli/error_exit_code.hpp"
#include "cli/error_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/hold_flags.hpp"
#include "cli/interruption.hpp"
#include "cli/lock_operations.hpp"
#include "cli/log.hpp"
#include "cli/messages.hpp"
#include "cli/nested_hold.hpp"
#include "cli/output.hpp"
#include "cli/run_owners.hpp"
#include "cli/script_output.hpp"
#include "cli/signals.hpp"
#include "cli/token_text.hpp"

#include <holdfast/holdfast.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

struct script_flags {
    engine_flags engine;
    hold_flags hold;
    std::string name;
    std::string owner;
    std::string lease;
    bool json = false;
};

client open_client(const engine_flags& flags) {
    ignore_limit_signals();
    return parse_engine_flags(flags).open();
}

run_settings parse_script_flags(const script_flags& flags) {
    if (!flags.hold.max_hold.empty()) {
        throw error{errc::invalid_option,
                    "--max-hold is only for 'run', because 'renew' does not know it; use --lease"};
    }
    run_settings out;
    apply(flags.hold, out);
    out.engine = parse_engine_flags(flags.engine);
    out.names = {flags.name};
    out.hold.renew = false;
    return out;
}

/// Renews until the engine answers. A hand-off is provisional and counts for 2 s until the first
/// renewal, but `acquire` promises the whole lease.
void confirm(lease& held, milliseconds lease) {
    constexpr milliseconds retry_pause{20};
    std::error_code failure;
    for (;;) {
        held.extend(lease, failure);
        if (!failure) { return; }
        if (failure != errc::unknown_outcome || !held.valid()) { break; }
        std::this_thread::sleep_for(retry_pause);
    }
    const bool taken = held.why_lost() == loss::taken;
    throw error{taken ? errc::lost : errc::unavailable,
                quote_name(held.name()) +
                    (taken ? " was acquired, but lost before it could be printed; try again"
                           : " was granted, but the engine did not confirm its lease, so it is "
                             "released; try again")};
}

[[noreturn]] void exit_by_signal(int signal, const script_flags& flags) {
    if (!flags.json) { print_eval_failure(exit_code::signalled + signal); }
    die_of(signal);
}

/// The lock with its whole lease. Empty if someone else holds it, or if a signal arrived; then
/// nothing is held.
std::optional<lease> acquire_confirmed(client& client, const run_settings& settings,
                                       termination_signals& signals, const script_flags& flags) {
    std::optional<lease> held;
    {
        const interruption_watch watch{
            {.descriptors = {signals.descriptor()},
             .read = [&] { return signals.arrived(); },
             .on_timeout = [&] { exit_by_signal(signals.number(), flags); }}};
        held = acquire_lock(client, settings, settings.wait, watch.stop());
        if (held && !watch.stop().stop_requested()) { confirm(*held, settings.hold.lease); }
    }
    if (signals.arrived()) { held.reset(); }
    return held;
}

/// Returns the exit code; the lock stays held if it is 0.
int print_grant(lease& held, const script_flags& flags) {
    const grant_text text{held.name(), held.owner(), token_text(held), held.remaining()};
    if (!print(flags.json ? as_json(text) : as_shell(text))) {
        print_message(quote_name(text.name) +
                      ": the output could not be written, so the lock is released; check "
                      "where stdout goes");
        release_lock(held);
        return exit_code::internal;
    }
    if (!held.valid()) { // the reader of our output was slow
        print_message(
            quote_name(text.name) +
            ": the lease expired before the output was read, so the lock is not held; try again "
            "with a longer --lease");
        return exit_code::lost;
    }
    held.detach();
    return exit_code::ok;
}

int acquire(const script_flags& flags) {
    const auto settings = parse_script_flags(flags);
    if (!stdout_is_open()) {
        print_message(
            quote_names(settings.names) +
            " is not acquired, because stdout cannot be written to; check where stdout goes");
        return exit_code::internal;
    }
    termination_signals signals;
    int code = settings.busy_code;
    try {
        ignore_limit_signals();
        refuse_nested_hold(settings);
        auto client = settings.engine.open();
        auto held = acquire_confirmed(client, settings, signals, flags);
        if (held) {
            code = print_grant(*held, flags);
        } else if (!signals.arrived()) {
            print_busy(settings);
        }
    } catch (const error& problem) {
        code = exit_code_for(problem);
        print_message(acquire_failure(problem, settings), log_level::error,
                      {.event = "failed", .exit_code = code});
    }
    if (signals.number() != 0) { exit_by_signal(signals.number(), flags); }
    return code;
}

/// Takes what was not given from the variables that `eval "$(holdfast acquire ...)"` has set.
void fill_from_environment(script_flags& flags) {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
        return std::string{value == nullptr ? "" : value};
    };
    if (flags.name.empty()) { flags.name = variable("HOLDFAST_NAME"); }
    if (flags.owner.empty()) { flags.owner = variable("HOLDFAST_OWNER"); }
    if (flags.name.empty() || flags.owner.empty()) {
        throw error{
            errc::invalid_option,
            "no lock is named; give NAME and --owner, or HOLDFAST_NAME and HOLDFAST_OWNER as "
            "'holdfast acquire' prints them"};
    }
    if (is_run_owner(flags.owner)) {
        throw error{errc::invalid_option,
                    quote_name(flags.name) +
                        " is held by `holdfast run`, which renews and releases it"};
    }
}

int report_result(bool held, const script_flags& flags, const char* advice) {
    if (held) { return exit_code::ok; }
    print_message(quote_name(flags.name) + " is not held by " + flags.owner +
                  " any more: its lease expired, or it was released or broken; " + advice);
    return exit_code::failed;
}

int renew(script_flags flags) {
    fill_from_environment(flags);
    run_settings settings;
    hold_flags hold;
    hold.lease = flags.lease;
    apply(hold, settings);
    auto client = open_client(flags.engine);
    return report_result(admin{client}.renew(flags.name, flags.owner, settings.hold.lease), flags,
                         "stop the work and acquire it again");
}

int release(script_flags flags) {
    fill_from_environment(flags);
    auto client = open_client(flags.engine);
    try {
        return report_result(admin{client}.release(flags.name, flags.owner), flags,
                             "someone else may have held it meanwhile");
    } catch (const error& problem) {
        print_message(release_failure({flags.name}, problem), log_level::error,
                      {.event = "release_failed"});
        return exit_code_for(problem);
    }
}

void add_hold_identity(CLI::App& subcommand, script_flags& flags) {
    add_engine_flags(subcommand, flags.engine);
    subcommand.add_option("NAME", flags.name, "The lock (also: HOLDFAST_NAME)");
    subcommand
        .add_option("--owner", flags.owner,
                    "The owner that 'acquire' printed (also: HOLDFAST_OWNER)")
        ->type_name("ID");
}

} // namespace

void add_acquire(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<script_flags>();
    auto* const sub = app.add_subcommand(
        "acquire",
        "Acquire a lock and print how to renew and release it (nothing renews it for you)");
    sub->footer("Example:\n"
                "  eval \"$(holdfast acquire deploy --lease 10m)\" || exit\n"
                "  trap 'holdfast release' EXIT\n"
                "  ... holdfast renew --lease 10m ...");
    add_hold_flags(*sub, flags->hold);
    sub->get_option("--max-hold")->description("Only for 'run'; here --lease is the limit");
    sub->add_flag("--json", flags->json, "Print JSON instead of shell variables");
    add_log_flag(*sub);
    add_engine_flags(*sub, flags->engine);
    sub->add_option("NAME", flags->name, "The lock: any text of up to 512 bytes")->required();
    sub->callback([flags, &chosen] {
        set_log_locks({flags->name});
        chosen = [flags] { return acquire(*flags); };
    });
}

void add_renew(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<script_flags>();
    auto* const sub = app.add_subcommand("renew", "Renew a lock of 'acquire' for another lease");
    add_hold_identity(*sub, *flags);
    add_log_flag(*sub);
    sub->add_option("--lease", flags->lease, "How long from now; default 30s")->type_name("DUR");
    sub->footer("Exit code 1: that owner does not hold the lock any more.");
    sub->callback([flags, &chosen] { chosen = [flags] { return renew(*flags); }; });
}

void add_release(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<script_flags>();
    auto* const sub = app.add_subcommand("release", "Release a lock of 'acquire'");
    add_hold_identity(*sub, *flags);
    add_log_flag(*sub);
    sub->footer(
        "Exit code 1: that owner did not hold the lock any more. A second release exits with 0\n"
        "for a minute at least, unless someone else has held the lock since.");
    sub->callback([flags, &chosen] { chosen = [flags] { return release(*flags); }; });
}

} // namespace holdfast::cli
