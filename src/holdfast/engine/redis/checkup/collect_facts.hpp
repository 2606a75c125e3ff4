#pragma once
// Asks servers and sentinels for the facts that judgments.hpp judges. Blocks.

#include "holdfast/engine/redis/checkup/sentinel_view.hpp"
#include "holdfast/engine/redis/checkup/server_facts.hpp"
#include "holdfast/engine/redis/options.hpp"

namespace holdfast::engine::redis {

/// Of a server of locks. Asks it nothing that changes its data or takes it long.
[[nodiscard]] server_facts collect_facts(const net::endpoint& server, const options& options,
                                         base::milliseconds timeout);

/// REQUIRES: options.sentinel.
[[nodiscard]] sentinel_view ask_sentinel(const net::endpoint& sentinel, const options& options,
                                         base::milliseconds timeout);

} // namespace holdfast::engine::redis
