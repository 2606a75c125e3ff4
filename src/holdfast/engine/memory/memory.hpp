#pragma once
// The memory engine: locks in this process's memory, without server or file. For tests, and for
// programs of one process that may become several.

#include "holdfast/engine/checkup.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/factory.hpp"
#include "holdfast/engine/url.hpp"

#include <memory>

namespace holdfast::engine::memory {

/// `memory:` is the default store and `memory:NAME` another; clients of one store share locks. A
/// store is deleted with its last client. A client that closes is treated like one that crashed:
/// its holds end when their leases expire, its waiters when their heartbeats stay out.
/// Throws error(invalid_url), and error(limit_reached) if no file descriptor is left.
[[nodiscard]] std::unique_ptr<engine> make(const url& url, const client_identity& identity);

/// There is nothing that could be set up wrongly; it says what such locks exclude.
[[nodiscard]] checkup check_up(const url& url, const checkup_terms& terms);

} // namespace holdfast::engine::memory
