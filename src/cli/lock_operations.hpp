#pragma once
// Acquires and releases the lock that the settings describe.

#include "cli/held_lock.hpp"
#include "cli/run_settings.hpp"
#include "holdfast/base/clock.hpp"

#include <holdfast/client.hpp>
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::cli {

/// Acquires the first name. Waits up to `wait`: empty means for ever, 0 not at all. With -v it
/// prints meanwhile who holds the lock. Returns empty if someone else holds it, or if `stop` was
/// requested. Throws holdfast::error, also if nobody holds it, but the engine grants nothing.
[[nodiscard]] std::optional<lease> acquire_lock(client& client, const run_settings& settings,
                                                std::optional<std::chrono::milliseconds> wait,
                                                const std::stop_token& stop);

/// The same for all names of the settings: all of them, or none.
[[nodiscard]] std::optional<held_lock> acquire_names(client& client, const run_settings& settings,
                                                     std::optional<std::chrono::milliseconds> wait,
                                                     const std::stop_token& stop);

/// One request for the first name, as the settings describe it.
[[nodiscard]] std::optional<lease> try_acquire(client& client, const run_settings& settings,
                                               std::chrono::milliseconds wait,
                                               const std::stop_token& stop);

struct held_name {
    std::string name{};
    std::string holders{}; ///< as describe_holders() has them; empty: nobody holds any name
};

/// The first name that somebody holds. Asks the engine for half a second at most; empty: it does
/// not answer.
[[nodiscard]] std::optional<held_name> find_holders(const run_settings& settings);

/// Prints that someone else holds the lock, and who, unless -q is given. Asks the engine for half a
/// second at most.
void print_busy(const run_settings& settings);

/// `end`: of the lease.
void print_release_failure(const std::vector<std::string>& names, const error& failure,
                           base::instant end);

/// Releases it and waits for the answer. Prints a failure. Whether it was held until now.
bool release_lock(lease& held);

} // namespace holdfast::cli
