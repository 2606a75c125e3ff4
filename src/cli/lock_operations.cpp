#include "cli/lock_operations.hpp"

#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "cli/wait_reporter.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <string>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

/// The wait is over: nobody waits longer to learn who holds the lock.
constexpr milliseconds inspection_wait{500};

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
    reporter.stop();
    return held;
}

void print_busy(const run_settings& settings) {
    if (settings.verbosity == verbosity::quiet) { return; }
    std::string holders;
    try {
        auto engine = settings.engine;
        engine.options.connect_wait = std::min(engine.options.connect_wait, inspection_wait);
        std::error_code ignored;
        const auto info = admin{engine.open()}.inspect(settings.name, ignored);
        if (info) { holders = describe_holders(*info); }
    } catch (const std::exception&) {} // the message says less then
    print_message(busy_message(settings.name, holders), log_level::warning);
}

bool release_lock(lease& held) {
    const auto name = held.name();
    try {
        return held.release() == release_answer::released;
    } catch (const error& problem) { print_message(release_failure(name, problem)); }
    return false;
}

} // namespace holdfast::cli
