#pragma once
// Examines the servers of a URL of the Redis engine.

#include "holdfast/engine/checkup.hpp"

namespace holdfast::engine::redis {

/// Asks every server on a connection of its own, beside the engine: it also works where the engine
/// refuses to, e.g. on a replica or an unhealthy cluster. Blocks.
[[nodiscard]] checkup check_up(const url& url, const checkup_terms& terms);

} // namespace holdfast::engine::redis
