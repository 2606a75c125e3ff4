#pragma once
// Locks in this process's memory: no server, no file. For tests, and for programs that are one
// process today and several tomorrow.

#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/url.hpp"

#include <memory>

namespace holdfast::engine::memory {

/// `memory:` is the default store and `memory:NAME` another; clients of one store share locks. A
/// store vanishes with its last client. A client that closes is treated like one that crashed
/// unseen: its holds end with their leases, its waiters with their heartbeats.
/// Throws error(invalid_url), and error(limit_reached) if no file descriptor is left.
[[nodiscard]] std::unique_ptr<engine> make(const url& where, const client_identity& identity);

} // namespace holdfast::engine::memory
