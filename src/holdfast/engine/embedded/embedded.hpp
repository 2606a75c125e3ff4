#pragma once
// The embedded engine: locks in an SQLite file, for all processes of one host. No server.

#include "holdfast/engine/factory.hpp"

#include <memory>

namespace holdfast::engine::embedded {

/// `embedded:` (a file in the home folder of the effective user) or `embedded:/absolute/path`, with
/// `?mode=0660` to share a new file with its group. Throws error(invalid_url); does no I/O: the
/// first operation opens the file, or creates it. If that fails, the next operation tries again.
[[nodiscard]] std::unique_ptr<engine> make(const url& url, const client_identity& identity);

} // namespace holdfast::engine::embedded
