#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/engine_flags.hpp"
#include "cli/exit_codes.hpp"
#include "cli/front.hpp"
#include "cli/hold_flags.hpp"
#include "cli/log.hpp"
#include "cli/messages.hpp"
#include "cli/metrics_export.hpp"
#include "cli/run_settings.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

struct run_flags {
    engine_flags engine;
    hold_flags hold;
    std::string name;
    std::vector<std::string> more_names;
    given_command command;
    std::string shell_line;
    std::string grace;
    std::string metrics;
    bool quiet = false;
    bool verbose = false;
};

verbosity parse_verbosity(const run_flags& flags) {
    if (flags.quiet) { return verbosity::quiet; }
    if (flags.verbose) { return verbosity::verbose; }
    const char* const variable = std::getenv("HOLDFAST_LOG"); // NOLINT(concurrency-mt-unsafe)
    const std::string_view word = variable == nullptr ? "" : variable;
    if (word.empty() || word == "info") { return verbosity::normal; }
    if (word == "quiet") { return verbosity::quiet; }
    if (word == "verbose" || word == "debug") { return verbosity::verbose; }
    throw error{errc::invalid_option,
                "HOLDFAST_LOG: '" + std::string{word} + "' is not one of quiet, info, verbose"};
}

/// SIGTERM is sent at N - grace, SIGKILL by N. As long as renewals succeed, N is never that close
/// if the lease is at least three times the sum of grace and margin.
void set_grace(const std::string& text, run_settings& settings) {
    const auto lease = settings.hold.max_hold > milliseconds{0}
                           ? std::min(settings.hold.lease, settings.hold.max_hold)
                           : settings.hold.lease;
    const auto margin = std::max(milliseconds{50}, lease / 20); // lock_options::margin's default
    settings.grace = text.empty() ? std::min<milliseconds>(milliseconds{5'000}, lease / 6)
                                  : parse_duration_option("--grace", text);
    const auto min_lease = 3 * (settings.grace + margin);
    if (lease < min_lease && !text.empty()) {
        const std::string limit = lease < settings.hold.lease ? "--max-hold" : "--lease";
        throw error{errc::invalid_option, "--grace " + format_duration(settings.grace) +
                                              " needs a " + limit.substr(2) + " of at least " +
                                              format_duration(min_lease) + ", and it is " +
                                              format_duration(lease) + "; give a longer " + limit +
                                              " or a shorter --grace"};
    }
}

/// The words that no option took.
std::vector<std::string> further_names(const CLI::App& run) {
    auto words = run.remaining();
    for (const auto& word : words) {
        if (!word.starts_with('-')) { continue; }
        throw CLI::ParseError{"'" + word +
                                  "' is no option of run; a NAME cannot begin with '-' here",
                              exit_code::usage};
    }
    return words;
}

std::vector<std::string> distinct_names(std::vector<std::string> names, const std::string& first) {
    names.push_back(first);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void refuse_modes_of_sets(const run_settings& settings) {
    if (settings.names.size() == 1 || settings.kind == primitive::mutex) { return; }
    throw error{errc::invalid_option,
                "--shared, --exclusive and --limit are for one NAME, and " +
                    std::to_string(settings.names.size()) +
                    " are given; nest them: holdfast run --shared A -- holdfast run B -- COMMAND"};
}

run_settings parse_run_flags(const run_flags& flags) {
    run_settings out;
    apply(flags.hold, out);
    out.engine = parse_engine_flags(flags.engine);
    out.names = distinct_names(flags.more_names, flags.name);
    refuse_modes_of_sets(out);
    out.command = flags.command.words;
    out.follows_dashes = flags.command.follows_dashes;
    out.verbosity = parse_verbosity(flags);
    set_grace(flags.grace, out);
    check_metrics_target(flags.metrics);
    out.metrics = flags.metrics;
    set_log_locks(out.names);
    if (!flags.shell_line.empty()) {
        if (!out.command.empty()) {
            throw error{errc::invalid_option,
                        "-c is given beside a command; give only one of them"};
        }
        out.command = {"/bin/sh", "-c", flags.shell_line};
    }
    if (out.command.empty()) {
        throw error{errc::invalid_option,
                    "no command is given; write: holdfast run NAME... -- COMMAND ARGUMENTS..."};
    }
    return out;
}

constexpr const char* examples = R"(Examples:
  holdfast run nightly-report -- ./report.sh      wait, then run it under the lock
  holdfast run -n deploy -- ./deploy.sh           exit with 75 if someone else deploys
  holdfast run -w 30s --note "$USER" db -- make   wait up to 30 s; note who holds it
  holdfast run --limit 3 encoder -- ffmpeg ...    at most three at a time
  holdfast run --min-hold 50m hourly -- ./job     not twice within 50 minutes
  holdfast run -c 'a | b > c' pipeline            a shell line
  holdfast run db web -- ./upgrade.sh             two locks at once, without deadlock

Exit codes: the command's own, 128+N if signal N ended it, 126 and 127 as in sh;
75 the lock is held, 69 engine unavailable, 64 wrong usage, 76 lock lost.)";

} // namespace

void add_run(CLI::App& app, action& chosen, const given_command& command) {
    const auto flags = std::make_shared<run_flags>();
    auto* const run = app.add_subcommand("run", "Run a command while holding a lock");
    run->footer(examples);
    add_hold_flags(*run, flags->hold);
    run->add_option("--grace", flags->grace,
                    "The time between SIGTERM and SIGKILL when the lease or --max-hold is about to "
                    "end; default 5s or a sixth of the lease. Not after a break: then the command "
                    "is killed at once")
        ->type_name("DUR");
    run->add_option("-c,--command", flags->shell_line, "Run a line of /bin/sh instead of a command")
        ->type_name("LINE");
    auto* const quiet = run->add_flag("-q,--quiet", flags->quiet, "Print errors only");
    run->add_flag(
           "-v,--verbose", flags->verbose,
           "Print who holds the lock, how long the wait takes, the grant, renewals that fail, "
           "and the release (also: HOLDFAST_LOG=verbose)")
        ->excludes(quiet);
    add_log_flag(*run);
    run->add_option("--metrics", flags->metrics,
                    "Serve metrics at this port or address over HTTP, or write them to this file "
                    "for node_exporter")
        ->type_name("ADDR|FILE");
    add_engine_flags(*run, flags->engine);
    run->add_option("NAME", flags->name,
                    "The lock: any text of up to 512 bytes. Several are held at once, all or none; "
                    "then -- comes before the command")
        ->required()
        ->option_text("... REQUIRED");
    run->allow_extras(); // the other names: CLI11 would split one like [a,b] in a list of options
    run->callback([run, flags, &command, &chosen] {
        flags->more_names = further_names(*run);
        flags->command = command;
        chosen = [flags] { return cli::run(parse_run_flags(*flags)); };
    });
}

} // namespace holdfast::cli
