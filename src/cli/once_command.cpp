// compiled alone
// once: one process runs a command; the others wait, and get its output and exit code.

#include "cli/captured_command.hpp"
#include "cli/commands.hpp"
#include "cli/coordination_info.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interruption.hpp"
#include "cli/lock_operations.hpp"
#include "cli/log.hpp"
#include "cli/loss_record.hpp"
#include "cli/messages.hpp"
#include "cli/once_result.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/wait_reporter.hpp"

#include <holdfast/holdfast.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <memory>
#include <optional>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

struct once_flags {
    engine_flags engine;
    std::string name;
    std::string lease = "30s";
    std::string keep;
    std::string wait;
    bool forget = false;
};

/// A result that is not for others: the next one runs the command.
struct unsuitable : std::exception {};

int print_result(const std::string& text, const std::string& name) {
    const auto result = parse_once_result(text);
    if (!result) {
        print_message(quote_name(name) + ": the result is not that of a command; choose another "
                                         "name");
        return exit_code::usage;
    }
    if (!print(std::string{result->output})) { return exit_code::internal; }
    if (result->is_truncated) {
        print_message(quote_name(name) +
                      ": the command's output was longer; this is its beginning");
    }
    return result->code;
}

/// Of the lock that the process holds which runs the command.
run_settings lock_settings(const once_flags& flags) {
    run_settings out;
    out.engine = parse_engine_flags(flags.engine);
    out.names = {once_lock(flags.name)};
    set_log_locks(out.names);
    out.hold.lease = parse_positive_duration("--lease", flags.lease);
    return out;
}

int print_busy_flag(const once_flags& flags, const std::optional<held_name>& found) {
    print_message(busy_message(flags.name, found ? found->holders : ""), log_level::warning,
                  {.event = "busy", .exit_code = exit_code::busy});
    return exit_code::busy;
}

int forget(const once_flags& flags, const std::vector<std::string>& command) {
    if (!command.empty()) {
        throw error{errc::invalid_option, "--forget only forgets; give it no command"};
    }
    const auto settings = lock_settings(flags);
    if (const auto found = find_holders(settings); found && !found->holders.empty()) {
        return print_busy_flag(flags, found); // its result would come after this
    }
    const auto client = settings.engine.open();
    once_flag{client, flags.name}.reset();
    return exit_code::ok;
}

int run_once(const once_flags& flags, const std::vector<std::string>& command) {
    if (flags.forget) { return forget(flags, command); }
    if (command.empty()) {
        throw error{errc::invalid_option,
                    "no command is given; write: holdfast once NAME -- COMMAND ARGUMENTS..."};
    }
    once_options options;
    const auto lock = lock_settings(flags);
    options.lease = lock.hold.lease;
    if (!flags.keep.empty()) { options.keep = parse_positive_duration("--keep", flags.keep); }
    auto wait = milliseconds::max() / 2;
    if (!flags.wait.empty()) { wait = parse_duration_option("--wait", flags.wait); }

    const signal_state inherited;
    ignore_limit_signals();
    const auto losses = std::make_shared<loss_record>();
    auto engine = lock.engine;
    engine.options.observer = losses;
    const auto client = engine.open();
    once_flag flag{client, flags.name, options};
    wait_reporter reporter{lock, wait != milliseconds{0}};
    termination_signals signals;
    bool ran = false;
    int own_code = exit_code::ok;
    std::optional<std::string> result;
    std::optional<held_name> found;
    try {
        // While it waits a signal ends it; while the command runs the command gets the signal.
        const interruption_watch watch{{.descriptors = {signals.descriptor()},
                                        .read = [&] { return signals.arrived(); },
                                        .on_timeout = [] {}}};
        const auto run = [&](const lease& held) {
            reporter.stop();
            const auto ended =
                run_captured(command, inherited, held, *losses, watch.stop(), signals);
            own_code = ended.exit_code;
            ran = true;
            if (!ended.is_result) { throw unsuitable{}; }
            return once_result_text(ended.exit_code, ended.is_truncated, ended.output);
        };
        result = try_call_once_for(flag, wait, run, {.stop = watch.stop()});
        if (!result && wait != milliseconds{0} && !watch.stop().stop_requested()) {
            found = find_holders(lock);
            // Nobody runs it, and it was not granted: a try says why.
            const bool ended_without_holder = found && found->holders.empty();
            if (ended_without_holder) { result = try_call_once_for(flag, milliseconds{0}, run); }
        }
    } catch (const unsuitable&) { // NOLINT(bugprone-empty-catch): its code is known
    }
    if (signals.arrived()) { die_of(signals.number()); }
    if (ran) { return own_code; } // it has written its output already
    if (result) { return print_result(*result, flags.name); }
    return print_busy_flag(flags, found ? found : find_holders(lock));
}

} // namespace

void add_once(CLI::App& app, action& chosen, const given_command& command) {
    const auto flags = std::make_shared<once_flags>();
    auto* const sub = app.add_subcommand(
        "once", "Run a command once in the whole fleet; others get its output and exit code");
    sub->footer("Examples:\n"
                "  holdfast once schema-7 -- ./migrate.sh      on every host; one runs it\n"
                "  key=$(holdfast once --keep 1h token -- ./fetch-token)\n"
                "  holdfast once --forget schema-7             its command failed: run it again\n\n"
                "Others get the first 60000 bytes of its standard output. If the command is ended\n"
                "by a signal, cannot be started (126, 127), or its host crashes, there is no\n"
                "result, and the next one runs it.\n"
                "Exit codes: the command's own; 75 another host still runs it; 76 lock lost.");
    sub->add_option("--keep", flags->keep,
                    "The result is forgotten after this time; default: never")
        ->type_name("DUR");
    sub->add_option("-w,--wait", flags->wait,
                    "How long to wait while another runs it; default: no limit")
        ->type_name("DUR");
    sub->add_option("--lease", flags->lease,
                    "How long others wait after the host that runs it has crashed; default 30s")
        ->type_name("DUR");
    sub->add_flag(
        "--forget", flags->forget,
        "Run nothing and print nothing: forget the result, so that the next once runs its "
        "command; 75 while one runs");
    add_log_flag(*sub);
    add_engine_flags(*sub, flags->engine);
    sub->add_option("NAME", flags->name, "The flag: any text of up to 507 bytes")->required();
    sub->callback([flags, &command, &chosen] {
        chosen = [flags, &command] { return run_once(*flags, command.words); };
    });
}

} // namespace holdfast::cli
