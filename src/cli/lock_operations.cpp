#include "cli/lock_operations.hpp"

#include "cli/error_words.hpp"
#include "cli/messages.hpp"
#include "cli/party_text.hpp"
#include "cli/wait_reporter.hpp"

#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace holdfast::cli {

namespace {

using std::chrono::milliseconds;

/// The wait is over: nobody waits longer to learn who holds the lock.
constexpr milliseconds inspection_wait{500};

constexpr auto no_limit = milliseconds::max() / 2;

bool reports_wait(const run_settings& settings, std::optional<milliseconds> wait) {
    return settings.verbosity != verbosity::quiet && wait != milliseconds{0};
}

acquire_options options_for_set(const lock_options& hold, const std::stop_token& stop) {
    return {.lease = hold.lease,
            .max_hold = hold.max_hold,
            .min_hold = hold.min_hold,
            .detached = hold.detached,
            .note = hold.note,
            .stop = stop};
}

/// Whether a wait is over without a grant although nobody holds any name: then a try says why, e.g.
/// that the engine has lost its data and grants nothing yet.
bool ended_without_holder(const run_settings& settings, std::optional<milliseconds> wait,
                          const std::stop_token& stop) {
    if (wait == milliseconds{0} || stop.stop_requested()) { return false; }
    const auto found = find_holders(settings);
    return found && found->holders.empty();
}

std::optional<lease_set> try_acquire_set(client& client, const run_settings& settings,
                                         milliseconds wait, const std::stop_token& stop) {
    return try_acquire_all_for(client, settings.names, wait, options_for_set(settings.hold, stop));
}

} // namespace

std::optional<lease> try_acquire(client& client, const run_settings& settings, milliseconds wait,
                                 const std::stop_token& stop) {
    const acquire_options options{.stop = stop};
    if (settings.kind == primitive::semaphore) {
        counting_semaphore semaphore{client, settings.names.front(), settings.limit, settings.hold};
        return semaphore.try_acquire_for(settings.permits, wait, options);
    }
    if (settings.kind == primitive::shared_mutex) {
        shared_mutex shared{client, settings.names.front(), settings.hold};
        return settings.mode == mode::shared ? shared.try_acquire_shared_for(wait, options)
                                             : shared.try_acquire_for(wait, options);
    }
    mutex exclusive{client, settings.names.front(), settings.hold};
    return exclusive.try_acquire_for(wait, options);
}

std::optional<lease> acquire_lock(client& client, const run_settings& settings,
                                  std::optional<milliseconds> wait, const std::stop_token& stop) {
    {
        const wait_reporter reporter{settings, reports_wait(settings, wait)};
        auto held = try_acquire(client, settings, wait.value_or(no_limit), stop);
        if (held) { return held; }
    }
    if (!ended_without_holder(settings, wait, stop)) { return std::nullopt; }
    return try_acquire(client, settings, milliseconds{0}, stop);
}

std::optional<held_lock> acquire_names(client& client, const run_settings& settings,
                                       std::optional<milliseconds> wait,
                                       const std::stop_token& stop) {
    if (settings.names.size() == 1) {
        auto held = acquire_lock(client, settings, wait, stop);
        return held ? std::optional{held_lock{std::move(*held)}} : std::nullopt;
    }
    std::optional<lease_set> held;
    {
        const wait_reporter reporter{settings, reports_wait(settings, wait)};
        held = try_acquire_set(client, settings, wait.value_or(no_limit), stop);
    }
    if (!held && ended_without_holder(settings, wait, stop)) {
        held = try_acquire_set(client, settings, milliseconds{0}, stop);
    }
    return held ? std::optional{held_lock{std::move(*held)}} : std::nullopt;
}

std::optional<held_name> find_holders(const run_settings& settings) {
    try {
        auto engine = settings.engine;
        engine.options.connect_wait = std::min(engine.options.connect_wait, inspection_wait);
        const admin admin{engine.open()};
        for (const auto& each : settings.names) {
            const auto info = admin.inspect(each);
            if (info && !info->holders.empty()) { return held_name{each, describe_holders(*info)}; }
        }
        return held_name{};
    } catch (const std::exception&) { return std::nullopt; }
}

void print_busy(const run_settings& settings) {
    if (settings.verbosity == verbosity::quiet) { return; }
    auto found = find_holders(settings).value_or(held_name{});
    if (found.holders.empty()) { found.name = settings.names.front(); }
    print_message(busy_message(found.name, found.holders), log_level::warning,
                  {.event = "busy", .exit_code = settings.busy_code});
}

void print_release_failure(const std::vector<std::string>& names, const error& failure,
                           base::instant end) {
    const auto left = std::chrono::ceil<milliseconds>(end - base::boot_clock::now());
    print_message(release_failure(names, failure, left), log_level::error,
                  {.event = "release_failed"});
}

bool release_lock(lease& held) {
    const auto name = held.name();
    const auto end = base::boot_clock::now() + held.remaining();
    try {
        return held.release() == release_answer::released;
    } catch (const error& problem) { print_release_failure({name}, problem, end); }
    return false;
}

} // namespace holdfast::cli
