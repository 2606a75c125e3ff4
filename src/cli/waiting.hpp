#pragma once
// Getting the lock, and giving it back.

#include "cli/run_settings.hpp"

#include <holdfast/client.hpp>
#include <holdfast/lease.hpp>

#include <chrono>
#include <optional>
#include <stop_token>

namespace holdfast::cli {

/// Waits for it as long as `wait` says: empty is for ever, 0 not at all. Says meanwhile who has it
/// if that is wanted. Empty: somebody else has it, or `stop` was requested. Throws holdfast::error.
[[nodiscard]] std::optional<lease> get_lock(client& fleet, const run_settings& settings,
                                            std::optional<std::chrono::milliseconds> wait,
                                            const std::stop_token& stop);

/// Releases it, waits for the answer, and tells if there is none.
void give_back(lease& held);

} // namespace holdfast::cli
