// acquire, renew, release: for scripts that have no single child to run under the lock.

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/failure_code.hpp"
#include "cli/hold_flags.hpp"
#include "cli/interruption.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/place.hpp"
#include "cli/run_owners.hpp"
#include "cli/script_output.hpp"
#include "cli/signals.hpp"
#include "cli/token_text.hpp"
#include "cli/waiting.hpp"

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
    place_options where;
    hold_flags hold;
    std::string name;
    std::string owner;
    std::string lease;
    bool json = false;
};

client client_for(const place_options& where) {
    survive_limits();
    return place_of(where).open();
}

run_settings settings_of(const script_flags& flags) {
    if (!flags.hold.max_hold.empty()) {
        throw error{errc::invalid_option,
                    "--max-hold: 'renew' would not keep it; give --lease, and renew no longer"};
    }
    run_settings out;
    apply(flags.hold, out);
    out.name = flags.name;
    out.hold.renew = false;
    return out;
}

/// A lock that was handed on to us is ours for only 2 s, until a renewal begins its lease. Without
/// the engine's answer nobody knows for how long it is held, and `acquire` promises the whole.
void confirm(lease& held, milliseconds lease) {
    constexpr milliseconds pause{20};
    std::error_code failure;
    for (;;) {
        held.extend(lease, failure);
        if (!failure) { return; }
        if (failure != errc::unknown_outcome || !held.valid()) { break; }
        std::this_thread::sleep_for(pause);
    }
    const bool taken = held.why_lost() == loss::taken;
    throw error{taken ? errc::lost : errc::unavailable,
                show_name(held.name()) +
                    (taken ? " was acquired, but lost before it could be printed; try again"
                           : " was granted, but the engine did not confirm its lease, so it is "
                             "released; try again")};
}

[[noreturn]] void end_by(int signal, const script_flags& flags) {
    if (!flags.json) { fail_for_eval(exit_code::signalled + signal); }
    die_of(signal);
}

/// The lock with its whole lease; empty: somebody else has it, or `signals` have come, and then
/// nothing is held.
std::optional<lease> get_confirmed(client& fleet, const run_settings& settings,
                                   ending_signals& signals, const script_flags& flags) {
    std::optional<lease> held;
    {
        const interruption_watch watch{{.descriptors = {signals.descriptor()},
                                        .arrived = [&] { return signals.arrived(); },
                                        .impatient = [&] { end_by(signals.number(), flags); }}};
        held = get_lock(fleet, settings, settings.wait, watch.stop());
        if (held && !watch.stop().stop_requested()) { confirm(*held, settings.hold.lease); }
    }
    if (signals.arrived()) { held.reset(); }
    return held;
}

/// The exit code; the lock is kept if that is 0.
int tell_of(lease& held, const script_flags& flags) {
    const grant_text text{held.name(), held.owner(), token_text(held), held.remaining()};
    if (!print(flags.json ? as_json(text) : as_shell(text))) {
        tell(show_name(text.name) + ": the output could not be written, so the lock is released");
        give_back(held);
        return exit_code::internal;
    }
    if (!held.valid()) { // what reads it has kept us waiting
        tell(show_name(text.name) +
             ": the lease expired before the output was read; the lock is not held");
        return exit_code::lost;
    }
    held.detach();
    return exit_code::ok;
}

int acquire(const script_flags& flags) {
    const auto settings = settings_of(flags);
    if (!stdout_is_open()) {
        tell(show_name(settings.name) +
             " is not acquired: stdout is closed, so nothing could be printed");
        return exit_code::internal;
    }
    ending_signals signals;
    int code = settings.busy_code;
    {
        auto fleet = client_for(flags.where);
        auto held = get_confirmed(fleet, settings, signals, flags);
        if (held) {
            code = tell_of(*held, flags);
        } else if (!signals.arrived()) {
            tell(show_name(settings.name) + " is held by another");
        }
    }
    if (signals.number() != 0) { end_by(signals.number(), flags); }
    return code;
}

/// What `eval "$(holdfast acquire ...)"` has set, unless it was given.
void from_environment(script_flags& flags) {
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
    if (is_of_a_run(flags.owner)) {
        throw error{errc::invalid_option,
                    show_name(flags.name) +
                        " is held by `holdfast run`, which renews and releases it"};
    }
}

int said(bool done, const script_flags& flags) {
    if (done) { return exit_code::ok; }
    tell(show_name(flags.name) + " is not held by " + flags.owner +
         " any more: its lease expired, or it was released or broken before");
    return exit_code::failed;
}

int renew(script_flags flags) {
    from_environment(flags);
    run_settings settings;
    hold_flags lease;
    lease.lease = flags.lease;
    apply(lease, settings);
    auto fleet = client_for(flags.where);
    return said(admin{fleet}.renew(flags.name, flags.owner, settings.hold.lease), flags);
}

int release(script_flags flags) {
    from_environment(flags);
    auto fleet = client_for(flags.where);
    try {
        return said(admin{fleet}.release(flags.name, flags.owner), flags);
    } catch (const error& problem) {
        tell(not_released(flags.name, problem));
        return code_of(problem);
    }
}

void add_whose(CLI::App& to, script_flags& flags) {
    add_place(to, flags.where);
    to.add_option("NAME", flags.name, "The lock (also: HOLDFAST_NAME)");
    to.add_option("--owner", flags.owner, "The owner that 'acquire' printed (also: HOLDFAST_OWNER)")
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
    add_place(*sub, flags->where);
    sub->add_option("NAME", flags->name, "The lock: any text of up to 512 bytes")->required();
    sub->callback([flags, &chosen] { chosen = [flags] { return acquire(*flags); }; });
}

void add_renew(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<script_flags>();
    auto* const sub = app.add_subcommand("renew", "Renew a lock of 'acquire' for another lease");
    add_whose(*sub, *flags);
    sub->add_option("--lease", flags->lease, "How long from now; default 30s")->type_name("DUR");
    sub->footer("Exit code 1: that owner does not hold the lock any more.");
    sub->callback([flags, &chosen] { chosen = [flags] { return renew(*flags); }; });
}

void add_release(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<script_flags>();
    auto* const sub = app.add_subcommand("release", "Release a lock of 'acquire'");
    add_whose(*sub, *flags);
    sub->footer(
        "Exit code 1: that owner did not hold the lock any more. A second release exits with 0\n"
        "for a minute at least, unless someone else has held the lock since.");
    sub->callback([flags, &chosen] { chosen = [flags] { return release(*flags); }; });
}

} // namespace holdfast::cli
