#include "holdfast/engine/embedded/database.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/file_system.hpp"
#include "holdfast/engine/embedded/format_upgrade.hpp"
#include "holdfast/engine/embedded/missing_files.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

/// Small pages: a record fits into one, so an acquire writes one page.
constexpr const char* new_file_settings = "PRAGMA page_size = 1024";

/// With a WAL, NORMAL does not sync at each commit. A power cut cannot damage the file, and ends
/// all holds anyway.
constexpr const char* settings = "PRAGMA synchronous = NORMAL;"
                                 "PRAGMA cell_size_check = ON;"
                                 "PRAGMA temp_store = MEMORY";

/// By mknod, which creates a file without opening it (see `open_database`).
void create_file(const std::string& path, mode_t mode) {
    if (::mknod(path.c_str(), S_IFREG | mode, 0) != 0) {
        if (errno == EEXIST) { return; }
        throw system_failure(path, "create", errno);
    }
    if (::chmod(path.c_str(), mode) != 0) { throw system_failure(path, "set the mode of", errno); }
}

struct stat check_file(const std::string& path) {
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0) { throw system_failure(path, "open", errno); }
    if (!S_ISREG(file.st_mode)) {
        throw failure{errc::store_unsuitable,
                      path + " is " + (S_ISDIR(file.st_mode) ? "a folder" : "not a regular file") +
                          "; name a file: embedded:/path/locks.db"};
    }
    if (file.st_nlink > 1) {
        throw failure{errc::store_unsuitable,
                      path + " has a second name (hard link), under which its -wal file would not "
                             "be found; remove one of them"};
    }
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0) {
        throw system_failure(path, "read and write", errno);
    }
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        throw system_failure(folder, "make files in the folder", errno);
    }
    return file;
}

/// A number in the header of SQLite's file format.
std::int64_t number_at(std::span<const unsigned char> header, std::size_t at) noexcept {
    std::uint32_t out = 0;
    for (const auto byte : header.subspan(at, 4)) { out = (out << 8U) | byte; }
    return static_cast<std::int32_t>(out);
}

/// Throws failure(store_foreign) if it is not a file of Holdfast's, or of a newer version. Returns
/// the version of its format. Reads without locks and changes nothing: even a roll-back would
/// change another program's file. Reads the header instead of using SQL: without locks SQLite would
/// find a file damaged that is shorter than its header says, because a checkpoint is writing to it.
std::int64_t check_format(const std::string& path) {
    const sqlite_connection probe{path, sqlite_connection::open_mode::unlocked_read};
    std::array<unsigned char, 100> header{};
    sqlite3_file* file = nullptr;
    sqlite3_file_control(probe.raw(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    const int result = file->pMethods->xRead(file, header.data(), header.size(), 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) {
        throw sqlite_failure(path, probe.raw(), result);
    }
    constexpr std::string_view magic{"SQLite format 3\0", 16};
    if (!std::equal(magic.begin(), magic.end(), header.begin())) {
        throw sqlite_failure(path, nullptr, SQLITE_NOTADB);
    }
    const auto version = number_at(header, 60);
    const auto id = number_at(header, 68);
    if (id != application_id) {
        throw failure{errc::store_foreign,
                      path + " is a database of another program; " + advice(errc::store_foreign)};
    }
    if (version > format_version) {
        throw failure{errc::store_foreign, path + " was made by a newer Holdfast (format " +
                                               std::to_string(version) + ", this one knows " +
                                               std::to_string(format_version) +
                                               "); update this program, or use another file"};
    }
    return version;
}

bool is_empty(sqlite_connection& connection, bool& busy) {
    std::int64_t tables_found = 0;
    busy = !connection.query("SELECT count(*) FROM sqlite_schema", tables_found);
    return tables_found == 0;
}

/// False: busy.
bool initialize(sqlite_connection& connection, const struct stat& file, const std::string& boot) {
    if (!connection.run(new_file_settings) || !connection.run("BEGIN EXCLUSIVE")) { return false; }
    bool busy = false;
    if (!is_empty(connection, busy) || busy) { // another process was faster
        (void)connection.run("ROLLBACK");
        return !busy;
    }
    check_unused(connection.path());
    tables::create(connection);
    tables tables{connection};
    tables.put(file_header{boot, 1, live_file::make(live_path(connection.path()), file)});
    const std::string ids = "PRAGMA application_id = " + std::to_string(application_id) +
                            "; PRAGMA user_version = " + std::to_string(format_version);
    return connection.run(ids.c_str()) && connection.run("COMMIT");
}

/// In a transaction, because a single statement could find the file busy. False: busy.
bool read_header(tables& tables, file_header& header) {
    if (!tables.begin_read()) { return false; }
    header = tables.header();
    tables.commit();
    return true;
}

/// The first client that opens the file after a boot ends all earlier holds. False: busy.
bool begin_boot(sqlite_connection& connection, tables& tables, const struct stat& file,
                const std::string& boot, file_header& header) {
    if (!tables.begin_write()) { return false; }
    header = tables.header();
    if (header.boot != boot) {
        header.boot = boot;
        ++header.boots;
        // No client that locked a byte of the old live file has survived the boot.
        header.live = live_file::make(live_path(connection.path()), file);
        tables.remove_all_waiters();
        tables.put(header);
    }
    tables.commit();
    return true;
}

} // namespace

std::optional<database> open_database(const std::string& path, mode_t mode,
                                      const std::string& boot) {
    database out;
    if (must_create(path)) { create_file(path, mode); }
    out.file = check_file(path);
    check_complete(path);
    check_suitable(path);
    std::int64_t version = format_version;
    if (out.file.st_size != 0) { version = check_format(path); }

    out.connection =
        std::make_unique<sqlite_connection>(path, sqlite_connection::open_mode::read_write);
    sqlite_connection& connection = *out.connection;
    if (sqlite3_db_readonly(connection.raw(), "main") != 0) {
        throw system_failure(path, "read and write", EACCES);
    }
    bool busy = false;
    if (is_empty(connection, busy) && !busy) { busy = !initialize(connection, out.file, boot); }
    if (!busy && out.file.st_size == 0) {
        version = check_format(path);
    } // another process may have created it
    std::string journal;
    if (busy || !connection.run(settings) ||
        !connection.query("PRAGMA journal_mode = WAL", journal)) {
        return std::nullopt;
    }
    if (journal != "wal") {
        throw failure{errc::store_unsuitable,
                      path + ": SQLite cannot use its WAL here; " + advice(errc::store_unsuitable)};
    }
    if (version < format_version && !upgrade(connection)) { return std::nullopt; }
    out.tables = std::make_unique<tables>(connection);
    if (!read_header(*out.tables, out.header)) { return std::nullopt; }
    if (out.header.boot != boot &&
        !begin_boot(connection, *out.tables, out.file, boot, out.header)) {
        return std::nullopt;
    }
    out.tables->set_boot(out.header.boots);
    struct stat after {};
    const bool there = ::stat(path.c_str(), &after) == 0;
    if (!there && errno != ENOENT) { throw system_failure(path, "open", errno); }
    if (!there || after.st_ino != out.file.st_ino || after.st_dev != out.file.st_dev) {
        throw failure{errc::store_replaced, path + " was replaced while it was being opened; " +
                                                advice(errc::store_replaced)};
    }
    return out;
}

} // namespace holdfast::engine::embedded
