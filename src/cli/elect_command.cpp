// compiled alone
// elect: runs a command while this host leads, and campaigns again when it leads no more.

#include "cli/commands.hpp"
#include "cli/coordination_info.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/error_words.hpp"
#include "cli/front.hpp"
#include "cli/log.hpp"
#include "cli/run_settings.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <memory>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

struct elect_flags {
    engine_flags engine;
    std::string name;
    std::string lease = "10s";
    std::string value;
    std::string grace;
    std::string note;
    bool quiet = false;
    bool verbose = false;
};

run_settings parse(const elect_flags& flags, const std::vector<std::string>& command) {
    run_settings out;
    out.engine = parse_engine_flags(flags.engine);
    out.election = flags.name;
    out.names = {election_lock(flags.name)};
    out.command = command;
    out.published = flags.value;
    out.hold.lease = parse_positive_duration("--lease", flags.lease);
    out.hold.note = flags.note;
    if (flags.quiet) { out.verbosity = verbosity::quiet; }
    if (flags.verbose) { out.verbosity = verbosity::verbose; }
    check_hold(out);
    set_log_locks(out.names);
    out.grace = flags.grace.empty() ? std::min(milliseconds{5'000}, out.hold.lease / 6)
                                    : parse_duration_option("--grace", flags.grace);
    const auto margin = std::max(milliseconds{50}, out.hold.lease / 20);
    if (!flags.grace.empty() && out.hold.lease < 3 * (out.grace + margin)) {
        throw error{errc::invalid_option, "--grace " + format_duration(out.grace) +
                                              " needs a lease of at least " +
                                              format_duration(3 * (out.grace + margin)) +
                                              "; give a longer --lease or a shorter --grace"};
    }
    if (out.command.empty()) {
        throw error{errc::invalid_option,
                    "no command is given; write: holdfast elect NAME -- COMMAND ARGUMENTS..."};
    }
    return out;
}

} // namespace

void add_elect(CLI::App& app, action& chosen, const given_command& command) {
    const auto flags = std::make_shared<elect_flags>();
    auto* const sub =
        app.add_subcommand("elect", "Run a command while leading, and campaign again after");
    sub->footer(
        "Examples:\n"
        "  holdfast elect scheduler -- ./scheduler        on every host; one runs it\n"
        "  holdfast elect --value \"$HOSTNAME\" db -- ./primary\n\n"
        "When the lease cannot be renewed the command gets SIGTERM, then SIGKILL, before\n"
        "another can lead. When somebody breaks the lock the command is killed at once, and\n"
        "another may lead already. HOLDFAST_TOKEN is the term. Exit code: the command's own,\n"
        "when it ends by itself; as of 'run' otherwise.");
    sub->add_option("--lease", flags->lease,
                    "How long a leader that crashed stays in office; default 10s")
        ->type_name("DUR");
    sub->add_option("--value", flags->value, "Published while leading, e.g. this host's address")
        ->type_name("TEXT");
    sub->add_option(
           "--grace", flags->grace,
           "The time between SIGTERM and SIGKILL when the lease is about to end; default 5s "
           "or a sixth of the lease. Not after a break: then the command is killed at "
           "once")
        ->type_name("DUR");
    sub->add_option("--note", flags->note, "Who leads and why, for people who inspect the lock")
        ->type_name("TEXT");
    auto* const quiet = sub->add_flag("-q,--quiet", flags->quiet, "Print errors only");
    sub->add_flag("-v,--verbose", flags->verbose,
                  "Print who leads and how long the wait takes, and the end of each term")
        ->excludes(quiet);
    add_log_flag(*sub);
    add_engine_flags(*sub, flags->engine);
    sub->add_option("NAME", flags->name, "The election: any text of up to 503 bytes")->required();
    sub->callback([flags, &command, &chosen] {
        chosen = [flags, &command] { return cli::run(parse(*flags, command.words)); };
    });
}

} // namespace holdfast::cli
