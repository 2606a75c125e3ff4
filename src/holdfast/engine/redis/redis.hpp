#pragma once
// The `redis:` engine: locks on a Redis or Valkey server, for all processes that reach it.

#include "holdfast/engine/factory.hpp"

#include <memory>

namespace holdfast::engine::redis {

/// `redis://[user:password@]host[:port][/db]`, the same with `rediss:` over TLS,
/// `redis+unix:///path`, and `redis+sentinel://[user:password@]sentinel[:port],.../master[/db]`.
/// The query may have prefix, timeout, connect_timeout (ms) and spin (us); over TLS also ca, cert,
/// key, server_name and verify; with sentinels also sentinel_user, sentinel_password and map.
/// Connects at the first operation.
[[nodiscard]] std::unique_ptr<engine> make(const url& url, const client_identity& identity);

} // namespace holdfast::engine::redis
