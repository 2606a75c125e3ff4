#pragma once
// The `redis:` engine: locks on a Redis or Valkey server, for all processes that reach it.

#include "holdfast/engine/factory.hpp"

#include <memory>

namespace holdfast::engine::redis {

/// `redis://[user:password@]host[:port][/db]`, the same with `rediss:` over TLS,
/// `redis+unix:///path`, `redis+sentinel://[user:password@]sentinel[:port],.../master[/db]`, and
/// `redis+cluster://[user:password@]node[:port],...`. options.cpp has the keys of the query.
/// Connects at the first operation.
[[nodiscard]] std::unique_ptr<engine> make(const url& url, const client_identity& identity);

} // namespace holdfast::engine::redis
