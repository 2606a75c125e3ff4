// compiled alone
// latch: waits in scripts until a number of others have arrived.

#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interruption.hpp"
#include "cli/messages.hpp"
#include "cli/number_check.hpp"
#include "cli/signals.hpp"

#include <holdfast/error.hpp>
#include <holdfast/latch.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>
#include <optional>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

struct latch_flags {
    engine_flags engine;
    std::string verb;
    std::string name;
    std::optional<unsigned> count;
    std::string id;
    std::string wait;
    std::string keep;
};

int wait_for(const latch& latch, const latch_flags& flags) {
    std::optional<milliseconds> limit;
    if (!flags.wait.empty()) { limit = parse_duration_option("--wait", flags.wait); }
    termination_signals signals;
    bool open = false;
    {
        const interruption_watch watch{{.descriptors = {signals.descriptor()},
                                        .read = [&] { return signals.arrived(); },
                                        .on_timeout = [&] { die_of(signals.number()); }}};
        open = latch.wait_for(limit.value_or(milliseconds::max() / 2), {.stop = watch.stop()});
    }
    if (signals.arrived()) { die_of(signals.number()); }
    if (open) { return exit_code::ok; }
    print_message(quote_name(flags.name) + ": " + std::to_string(latch.remaining()) + " of " +
                  std::to_string(flags.count.value_or(0)) + " have not arrived");
    return exit_code::busy;
}

/// The parser does not know which action an option belongs to.
void refuse_options_of_other_actions(const latch_flags& flags) {
    const auto check = [&](const char* option, const std::string& value, const char* action) {
        if (value.empty() || flags.verb == action) { return; }
        throw error{errc::invalid_option, std::string{option} + " is for latch " + action +
                                              ", and the action is " + flags.verb +
                                              "; leave the option out"};
    };
    check("--wait", flags.wait, "wait");
    check("--id", flags.id, "count-down");
    check("--keep", flags.keep, "count-down");
}

int use_latch(const latch_flags& flags) {
    refuse_options_of_other_actions(flags);
    latch_options options;
    if (!flags.keep.empty()) { options.keep = parse_positive_duration("--keep", flags.keep); }
    const bool forgets = flags.verb == "init" || flags.verb == "reset";
    if (!flags.count && flags.verb != "reset") {
        throw error{errc::invalid_option, "latch " + flags.verb + " needs COUNT behind NAME"};
    }
    ignore_limit_signals();
    const auto client = parse_engine_flags(flags.engine).open();
    latch latch{client, flags.name, flags.count.value_or(1), options};
    if (flags.verb == "wait") { return wait_for(latch, flags); }
    if (forgets) {
        latch.reset();
    } else {
        latch.count_down(1, {.id = flags.id});
    }
    return exit_code::ok;
}

} // namespace

void add_latch(CLI::App& app, action& chosen) {
    const auto flags = std::make_shared<latch_flags>();
    auto* const sub =
        app.add_subcommand("latch", "Wait until a number of others have arrived, or arrive");
    sub->footer("Examples:\n"
                "  holdfast latch init ready 3                 forget earlier arrivals\n"
                "  holdfast latch count-down --id \"$HOSTNAME\" ready 3   on each of three hosts\n"
                "  holdfast latch wait -w 60s ready 3 || echo 'not all are ready'\n"
                "  holdfast latch reset ready                  as init, for any count\n\n"
                "Exit code 75: not all arrived in time.");
    sub->add_option("--id", flags->id,
                    "count-down: who arrives; the same id counts once. Default: each call counts")
        ->type_name("ID");
    sub->add_option("-w,--wait", flags->wait, "wait: how long at most; default: no limit")
        ->type_name("DUR");
    sub->add_option("--keep", flags->keep,
                    "count-down: the latch is forgotten this long after the last arrival; "
                    "default 1h")
        ->type_name("DUR");
    add_engine_flags(*sub, flags->engine);
    sub->add_option("ACTION", flags->verb, "init, count-down, wait or reset")
        ->required()
        ->check(CLI::IsMember({"init", "count-down", "wait", "reset"}));
    sub->add_option("NAME", flags->name, "The latch: any text of up to 506 bytes")->required();
    sub->add_option("COUNT", flags->count,
                    "How many must arrive; all give the same number; not of reset")
        ->check(whole_number(1, limits::arrivals));
    sub->callback([flags, &chosen] { chosen = [flags] { return use_latch(*flags); }; });
}

} // namespace holdfast::cli
