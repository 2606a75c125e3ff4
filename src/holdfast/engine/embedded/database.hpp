#pragma once
// Opens the database of a store, or creates it; checks that it is Holdfast's and usable.

#include "holdfast/engine/embedded/location.hpp"
#include "holdfast/engine/embedded/sqlite_connection.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace holdfast::engine::embedded {

struct database {
    std::unique_ptr<sqlite_connection> connection;
    std::unique_ptr<embedded::tables> tables;
    struct stat file {}; ///< at the time of opening
    file_header header;
};

/// `boot` is the id of this boot of the machine. If the file was last used in another boot, all its
/// holds and waiters end here; the tokens stay.
///
/// Only SQLite opens the database: in a process that has it open already, closing any other
/// descriptor of it would drop SQLite's locks.
///
/// Empty: another process is busy with the file, try again. Throws failure. Never changes a file
/// that is not Holdfast's.
[[nodiscard]] std::optional<database> open_database(const std::string& path, mode_t mode,
                                                    const std::string& boot);

} // namespace holdfast::engine::embedded
