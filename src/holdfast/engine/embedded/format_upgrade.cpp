#include "holdfast/engine/embedded/format_upgrade.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/tables.hpp"

#include <string>

namespace holdfast::engine::embedded {

namespace {

/// From format 1, which kept the tokens of idle names for a day and had no mark. Its records are
/// read as they are.
constexpr const char* from_1 =
    "CREATE TABLE token_mark(one INTEGER PRIMARY KEY CHECK(one = 1), mark INTEGER NOT NULL);"
    "INSERT INTO token_mark VALUES(1, 0);"
    "ALTER TABLE locks RENAME TO names;"
    "PRAGMA user_version = 2";

void demand_no_older_users(const connection& link, std::int64_t version) {
    const std::string live = live_path(link.path());
    if (!live_file::in_use(live)) { return; }
    throw failure{errc::unavailable,
                  link.path() + " is in use by an older Holdfast (format " +
                      std::to_string(version) + ", this one has " + std::to_string(format_version) +
                      "); end its processes (fuser " + live + " says who), then it is upgraded"};
}

} // namespace

bool upgrade(connection& link) {
    if (!link.run("BEGIN IMMEDIATE")) { return false; }
    std::int64_t version = 0;
    if (!link.ask("PRAGMA user_version", version)) { return false; }
    if (version == 1) {
        demand_no_older_users(link, version);
        if (!link.run(from_1)) { return false; }
    }
    if (!link.run("COMMIT")) { return false; }
    // The version is looked for in the database itself, not in the WAL.
    link.empty_wal();
    return true;
}

} // namespace holdfast::engine::embedded
