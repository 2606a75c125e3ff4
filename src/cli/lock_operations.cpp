#include "cli/lock_operations.hpp"

#include "cli/messages.hpp"
#include "cli/wait_reporter.hpp"

#include <holdfast/holdfast.hpp>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

std::optional<lease> try_acquire(client& client, const run_settings& settings, milliseconds wait,
                                 const std::stop_token& stop) {
    const acquire_options options{.stop = stop};
    if (settings.kind == primitive::semaphore) {
        counting_semaphore semaphore{client, settings.name, settings.limit, settings.hold};
        return semaphore.try_acquire_for(settings.permits, wait, options);
    }
    if (settings.kind == primitive::shared_mutex) {
        shared_mutex shared{client, settings.name, settings.hold};
        return settings.mode == mode::shared ? shared.try_acquire_shared_for(wait, options)
                                             : shared.try_acquire_for(wait, options);
    }
    mutex exclusive{client, settings.name, settings.hold};
    return exclusive.try_acquire_for(wait, options);
}

} // namespace

std::optional<lease> acquire_lock(client& client, const run_settings& settings,
                                  std::optional<milliseconds> wait, const std::stop_token& stop) {
    const bool verbose = settings.verbosity == verbosity::verbose;
    wait_reporter reporter{settings, verbose && wait != milliseconds{0}};
    auto held = try_acquire(client, settings, wait.value_or(milliseconds::max() / 2), stop);
    const bool busy = !held && !stop.stop_requested();
    if (busy && verbose && !reporter.stop()) { reporter.report_now(client); }
    return held;
}

void release_lock(lease& held) {
    const auto name = held.name();
    try {
        held.release();
    } catch (const error& problem) { print_message(release_failure(name, problem)); }
}

} // namespace holdfast::cli
