#include "cli/hold_flags.hpp"

#include "cli/duration.hpp"
#include "cli/error_words.hpp"
#include "cli/number_check.hpp"

#include <holdfast/options.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdlib>

namespace holdfast::cli {

void add_hold_flags(CLI::App& subcommand, hold_flags& flags) {
    auto* const no_wait =
        subcommand.add_flag("-n,--no-wait", flags.no_wait,
                            "Do not wait: exit with the busy code (75), or with 69 after a "
                            "second if the engine does not answer");
    subcommand
        .add_option("-w,--wait", flags.wait,
                    "Wait up to this long, then exit with 75, or with 69 if the engine cannot be "
                    "reached then; default: no limit. An engine that does not answer ends the wait "
                    "sooner: see --connect-wait")
        ->type_name("DUR")
        ->excludes(no_wait);
    subcommand
        .add_option("--lease", flags.lease,
                    "How long the lock stays taken after its holder crashes; default 30s (also: "
                    "HOLDFAST_LEASE)")
        ->type_name("DUR");
    subcommand
        .add_option(
            "--min-hold", flags.min_hold,
            "Keep the lock at least this long, even if done sooner: for jobs that must not run "
            "twice in a row")
        ->type_name("DUR");
    subcommand
        .add_option("--max-hold", flags.max_hold,
                    "Hold the lock no longer than this; the command gets SIGTERM --grace earlier")
        ->type_name("DUR");
    auto* const shared = subcommand.add_flag(
        "--shared", flags.shared, "Hold it as a reader, together with others that use --shared");
    auto* const exclusive =
        subcommand
            .add_flag("--exclusive", flags.exclusive,
                      "Hold it as the writer of a lock that others hold with --shared")
            ->excludes(shared);
    auto* const limit =
        subcommand.add_option("--limit", flags.limit, "Up to M may hold it at a time")
            ->type_name("M")
            ->check(whole_number(1, limits::permits))
            ->excludes(shared)
            ->excludes(exclusive);
    subcommand.add_option("--permits", flags.permits, "Take N of the --limit; default 1")
        ->type_name("N")
        ->check(whole_number(1, limits::permits))
        ->needs(limit);
    subcommand
        .add_option("--note", flags.note, "Who holds the lock and why, for people who inspect it")
        ->type_name("TEXT");
    subcommand
        .add_option("-E,--busy-code", flags.busy_code,
                    "Exit with this code instead of 75 if the lock is held")
        ->type_name("CODE")
        ->check(whole_number(0, 255));
}

void apply(const hold_flags& flags, run_settings& settings) {
    const char* const variable = std::getenv("HOLDFAST_LEASE"); // NOLINT(concurrency-mt-unsafe)
    if (!flags.lease.empty()) {
        settings.hold.lease = parse_positive_duration("--lease", flags.lease);
    } else if (variable != nullptr && *variable != '\0') {
        settings.hold.lease = parse_duration_option("HOLDFAST_LEASE", variable);
    }
    if (!flags.min_hold.empty()) {
        settings.hold.min_hold = parse_duration_option("--min-hold", flags.min_hold);
    }
    if (!flags.max_hold.empty()) {
        settings.hold.max_hold = parse_positive_duration("--max-hold", flags.max_hold);
    }
    if (flags.no_wait) { settings.wait = std::chrono::milliseconds{0}; }
    if (!flags.wait.empty()) { settings.wait = parse_duration_option("--wait", flags.wait); }
    settings.hold.note = flags.note;
    // The process that holds the lock may be killed or stopped while the command runs on:
    // the engine must not grant the lock to someone else before the lease is over.
    settings.hold.detached = true;
    settings.busy_code = flags.busy_code;
    if (flags.shared || flags.exclusive) {
        settings.kind = primitive::shared_mutex;
        settings.mode = flags.shared ? mode::shared : mode::exclusive;
    }
    if (flags.limit) {
        settings.kind = primitive::semaphore;
        settings.mode = mode::permits;
        settings.limit = *flags.limit;
        settings.permits = flags.permits.value_or(1);
    }
    check_hold(settings);
}

} // namespace holdfast::cli
