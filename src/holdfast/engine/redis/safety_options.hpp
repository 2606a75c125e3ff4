#pragma once
// The options of a URL that keep locks safe when a server loses data.

#include "holdfast/engine/redis/options.hpp"

namespace holdfast::engine::redis {

/// `replicas` and `max_lease`. Throws error(invalid_url), naming the option.
void parse_safety(const url& url, options& out);

} // namespace holdfast::engine::redis
