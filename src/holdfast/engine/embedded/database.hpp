#pragma once
// From a path to a file that is Holdfast's own and fit for use; makes it if it is missing.

#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/sqlite_connection.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

struct opened {
    std::unique_ptr<connection> link;
    std::unique_ptr<tables> on;
    struct stat file {}; ///< as it was when it was opened
    about_file about;
};

/// `boot`: the id of this boot of the machine. If the file was last used in another one, all its
/// holds and waiters end here; the tokens stay.
///
/// The database itself is never opened but by SQLite: in a process that has it open already,
/// closing any other descriptor of it would drop SQLite's locks.
///
/// Empty: another process is busy with the file, try again. Throws failure; nothing that is not
/// Holdfast's is changed.
[[nodiscard]] std::optional<opened> open_file(const std::string& path, mode_t mode,
                                              const std::string& boot);

} // namespace holdfast::engine::embedded
