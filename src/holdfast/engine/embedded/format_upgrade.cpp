#include "holdfast/engine/embedded/format_upgrade.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <string>

namespace holdfast::engine::embedded {

namespace {

/// From format 1, which kept the tokens of idle names for a day and had no mark. The codec reads
/// its records.
constexpr const char* from_1 =
    "CREATE TABLE token_mark(one INTEGER PRIMARY KEY CHECK(one = 1), mark INTEGER NOT NULL);"
    "INSERT INTO token_mark VALUES(1, 0);"
    "ALTER TABLE locks RENAME TO names;"
    "PRAGMA user_version = 2";

/// From format 2. Its records are valid, but it does not know those of format 3.
constexpr const char* from_2 = "PRAGMA user_version = 3";

void check_no_older_users(const sqlite_connection& connection, std::int64_t version) {
    const std::string live = live_path(connection.path());
    if (!live_file::in_use(live)) { return; }
    throw failure{errc::unavailable,
                  connection.path() + " is in use by an older Holdfast (format " +
                      std::to_string(version) + ", this one has " + std::to_string(format_version) +
                      "); end its processes (fuser " + live + " says who), then it is upgraded"};
}

} // namespace

bool upgrade(sqlite_connection& connection) {
    if (!connection.run("BEGIN IMMEDIATE")) { return false; }
    std::int64_t version = 0;
    if (!connection.query("PRAGMA user_version", version)) { return false; }
    if (version < format_version) {
        check_no_older_users(connection, version);
        if (version == 1 && !connection.run(from_1)) { return false; }
        if (!connection.run(from_2)) { return false; }
    }
    if (!connection.run("COMMIT")) { return false; }
    // check_format reads the version from the database file, not from the WAL.
    connection.truncate_wal();
    return true;
}

} // namespace holdfast::engine::embedded
