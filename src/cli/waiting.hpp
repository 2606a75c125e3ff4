#pragma once
// Getting the lock while the front may change its mind, and saying meanwhile who has it.

#include "cli/link.hpp"
#include "cli/run_settings.hpp"

#include <holdfast/client.hpp>
#include <holdfast/lease.hpp>

#include <optional>

namespace holdfast::cli {

/// Empty: somebody else has it, or `cancelled`. Throws holdfast::error.
[[nodiscard]] std::optional<lease> get_lock(client& fleet, const run_settings& what,
                                            const link_end& front, bool& cancelled);

/// The same with nobody to listen to.
[[nodiscard]] std::optional<lease> get_lock(client& fleet, const run_settings& what);

} // namespace holdfast::cli
