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
    if (value == 0) { throw error{errc::invalid_option, option + " must be at least 1"}; }
    return value;
}

} // namespace

void add_hold_flags(CLI::App& to, hold_flags& flags) {
    auto* const no_wait =
        to.add_flag("-n,--no-wait", flags.no_wait, "Do not wait: exit with the busy code (75)");
    to.add_option("-w,--wait", flags.wait,
                  "Wait for this long, then exit with 75; default: for ever")
        ->type_name("DUR")
        ->excludes(no_wait);
    to.add_option("--lease", flags.lease,
                  "How long the lock stays taken after its holder crashes; default 30s (also: "
                  "HOLDFAST_LEASE)")
        ->type_name("DUR");
    to.add_option(
          "--min-hold", flags.min_hold,
          "Keep the lock at least this long, even if done sooner: for jobs that must not run "
          "twice in a row")
        ->type_name("DUR");
    to.add_option("--max-hold", flags.max_hold, "Hold the lock no longer than this")
        ->type_name("DUR");
    auto* const shared = to.add_flag("--shared", flags.shared,
                                     "Hold it as a reader, together with others that use --shared");
    auto* const exclusive =
        to.add_flag("--exclusive", flags.exclusive,
                    "Hold it as the writer of a lock that others hold with --shared")
            ->excludes(shared);
    auto* const limit = to.add_option("--limit", flags.limit, "Up to M may hold it at a time")
                            ->type_name("M")
                            ->excludes(shared)
                            ->excludes(exclusive);
    to.add_option("--permits", flags.permits, "Take N of the --limit; default 1")
        ->type_name("N")
        ->needs(limit);
    to.add_option("--note", flags.note, "Who holds the lock and why, for people who inspect it")
        ->type_name("TEXT");
    to.add_option("-E,--busy-code", flags.busy_code,
                  "Exit with this code instead of 75 if the lock is held")
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
    // The process that holds the lock may be killed or stopped while the work continues elsewhere:
    // the engine must not grant the lock to someone else before the lease is over.
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
