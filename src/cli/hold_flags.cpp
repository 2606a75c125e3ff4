#include "cli/hold_flags.hpp"

#include "cli/duration.hpp"

#include <holdfast/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdlib>

namespace holdfast::cli {

namespace {

unsigned at_least_one(const std::string& option, unsigned value) {
    if (value == 0) { throw error{errc::invalid_option, option + ": at least 1"}; }
    return value;
}

} // namespace

void add_hold_flags(CLI::App& to, hold_flags& flags) {
    auto* const no_wait =
        to.add_flag("-n,--no-wait", flags.no_wait, "Do not wait: exit with the busy code (75)");
    to.add_option("-w,--wait", flags.wait, "Wait so long for the lock; default: for ever")
        ->type_name("DUR")
        ->excludes(no_wait);
    to.add_option("--lease", flags.lease,
                  "How long the lock outlives a holder that is heard of no more; default 30s "
                  "(also: HOLDFAST_LEASE)")
        ->type_name("DUR");
    to.add_option("--min-hold", flags.min_hold,
                  "Keep the lock at least so long, even if done sooner: for jobs that must not run "
                  "twice in a row")
        ->type_name("DUR");
    to.add_option("--max-hold", flags.max_hold, "Hold it no longer than this")->type_name("DUR");
    auto* const shared = to.add_flag("--shared", flags.shared,
                                     "As a reader: together with others that say --shared");
    auto* const exclusive = to.add_flag("--exclusive", flags.exclusive,
                                        "As the writer of a lock that others take with --shared")
                                ->excludes(shared);
    auto* const limit = to.add_option("--limit", flags.limit, "Up to M may hold it at a time")
                            ->type_name("M")
                            ->excludes(shared)
                            ->excludes(exclusive);
    to.add_option("--permits", flags.permits, "Take N of the --limit; default 1")
        ->type_name("N")
        ->needs(limit);
    to.add_option("--note", flags.note, "Who and why, for people who ask")->type_name("TEXT");
    to.add_option("-E,--busy-code", flags.busy_code, "Exit with this code instead of 75 when held")
        ->type_name("CODE")
        ->check(CLI::Range(0, 255));
}

void apply(const hold_flags& flags, run_settings& to) {
    const char* const variable = std::getenv("HOLDFAST_LEASE"); // NOLINT(concurrency-mt-unsafe)
    if (!flags.lease.empty()) {
        to.hold.lease = some_time("--lease", flags.lease);
    } else if (variable != nullptr && *variable != '\0') {
        to.hold.lease = duration_of("HOLDFAST_LEASE", variable);
    }
    if (!flags.min_hold.empty()) { to.hold.min_hold = duration_of("--min-hold", flags.min_hold); }
    if (!flags.max_hold.empty()) { to.hold.max_hold = some_time("--max-hold", flags.max_hold); }
    if (flags.no_wait) { to.wait = std::chrono::milliseconds{0}; }
    if (!flags.wait.empty()) { to.wait = duration_of("--wait", flags.wait); }
    to.hold.note = flags.note;
    // Whoever holds it may be killed or stopped while the work goes on elsewhere: then it must not
    // be given away before the lease is over.
    to.hold.detached = true;
    to.busy_code = flags.busy_code;
    if (flags.shared || flags.exclusive) {
        to.kind = primitive::shared_mutex;
        to.mode = flags.shared ? mode::shared : mode::exclusive;
    }
    if (flags.limit) {
        to.kind = primitive::semaphore;
        to.mode = mode::permits;
        to.limit = at_least_one("--limit", *flags.limit);
        to.permits = at_least_one("--permits", flags.permits.value_or(1));
    }
}

} // namespace holdfast::cli
