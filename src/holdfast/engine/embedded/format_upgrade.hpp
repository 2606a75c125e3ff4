#pragma once
// Files of an older Holdfast.

#include "holdfast/engine/embedded/sqlite_connection.hpp"

namespace holdfast::engine::embedded {

/// Brings the tables to `format_version`; holds, waiters and tokens stay. Does nothing if another
/// process was quicker. False: busy, try again.
///
/// Not while a client uses the file: it may be an older Holdfast, which goes by other rules. Then
/// throws failure(unavailable). One that was just opening it finds no table of the name it knows,
/// so all that it tries fails: never two holders. Later ones are refused by the version.
[[nodiscard]] bool upgrade(connection& link);

} // namespace holdfast::engine::embedded
