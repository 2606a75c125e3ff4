#pragma once
// Upgrades files of an older Holdfast.

#include "holdfast/engine/embedded/sqlite_connection.hpp"

namespace holdfast::engine::embedded {

/// Upgrades the tables to `format_version`; holds, waiters and tokens stay. Does nothing if another
/// process was faster. False: busy, try again.
///
/// Throws failure(unavailable) while a client uses the file: it may be an older Holdfast, which
/// works by other rules. An older one that is just opening the file does not find the table it
/// knows, so its operations fail: never two holders. Later ones are refused by the version.
[[nodiscard]] bool upgrade(sqlite_connection& connection);

} // namespace holdfast::engine::embedded
