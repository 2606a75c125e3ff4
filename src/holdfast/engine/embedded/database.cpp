#include "holdfast/engine/embedded/database.hpp"

#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/file_system.hpp"
#include "holdfast/engine/embedded/missing_files.hpp"
#include "holdfast/engine/embedded/format_upgrade.hpp"

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

/// Small pages: a hold fits into one, and what one acquire writes is one page.
constexpr const char* new_file_settings = "PRAGMA page_size = 1024";

/// WAL, without waiting for the disk at each commit: a power cut ends all holds anyway, and cannot
/// damage the file.
constexpr const char* settings = "PRAGMA synchronous = NORMAL;"
                                 "PRAGMA cell_size_check = ON;"
                                 "PRAGMA temp_store = MEMORY";

/// By mknod, which makes a file without opening it (see `open_file`).
void make_file(const std::string& path, mode_t mode) {
    if (::mknod(path.c_str(), S_IFREG | mode, 0) != 0) {
        if (errno == EEXIST) { return; }
        throw system_failure(path, "create", errno);
    }
    if (::chmod(path.c_str(), mode) != 0) { throw system_failure(path, "set the mode of", errno); }
}

struct stat examine(const std::string& path) {
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

/// Whose is it? Looks without locks and changes nothing, not even by rolling back what another
/// program left half-written. Not by SQL: without locks SQLite would take a file for damaged that
/// another client is just writing its WAL into, as it is not yet as long as its header says.
/// Returns the version of its format.
std::int64_t demand_ours(const std::string& path) {
    const connection look{path, connection::access::look_only};
    std::array<unsigned char, 100> header{};
    sqlite3_file* file = nullptr;
    sqlite3_file_control(look.raw(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    const int result = file->pMethods->xRead(file, header.data(), header.size(), 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) {
        throw sqlite_failure(path, look.raw(), result);
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

bool is_empty(connection& link, bool& busy) {
    std::int64_t tables_found = 0;
    busy = !link.ask("SELECT count(*) FROM sqlite_schema", tables_found);
    return tables_found == 0;
}

/// False: busy.
bool fill_new(connection& link, const struct stat& file, const std::string& boot) {
    if (!link.run(new_file_settings) || !link.run("BEGIN EXCLUSIVE")) { return false; }
    bool busy = false;
    if (!is_empty(link, busy) || busy) { // another process was quicker
        (void)link.run("ROLLBACK");
        return !busy;
    }
    demand_unused(link.path());
    tables::make(link);
    tables on{link};
    on.put(about_file{boot, 1, live_file::make(live_path(link.path()), file)});
    const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(format_version);
    return link.run(marks.c_str()) && link.run("COMMIT");
}

/// In a transaction: a statement by itself might find the file busy. False: it is.
bool read_about(tables& on, about_file& about) {
    if (!on.begin_read()) { return false; }
    about = on.about();
    on.commit();
    return true;
}

/// The first to open the file after a boot ends what was held before it. False: busy.
bool begin_boot(connection& link, tables& on, const struct stat& file, const std::string& boot,
                about_file& about) {
    if (!on.begin_write()) { return false; }
    about = on.about();
    if (about.boot != boot) {
        about.boot = boot;
        ++about.boots;
        // Nobody who locked a byte of the old live file can be left.
        about.live = live_file::make(live_path(link.path()), file);
        on.remove_all_waiters();
        on.put(about);
    }
    on.commit();
    return true;
}

} // namespace

std::optional<opened> open_file(const std::string& path, mode_t mode, const std::string& boot) {
    opened out;
    if (must_be_made(path)) { make_file(path, mode); }
    out.file = examine(path);
    demand_complete(path);
    demand_suitable(path);
    std::int64_t version = format_version;
    if (out.file.st_size != 0) { version = demand_ours(path); }

    out.link = std::make_unique<connection>(path, connection::access::read_write);
    connection& link = *out.link;
    if (sqlite3_db_readonly(link.raw(), "main") != 0) {
        throw system_failure(path, "read and write", EACCES);
    }
    bool busy = false;
    if (is_empty(link, busy) && !busy) { busy = !fill_new(link, out.file, boot); }
    if (!busy && out.file.st_size == 0) { version = demand_ours(path); } // whoever was quicker
    std::string journal;
    if (busy || !link.run(settings) || !link.ask("PRAGMA journal_mode = WAL", journal)) {
        return std::nullopt;
    }
    if (journal != "wal") {
        throw failure{errc::store_unsuitable,
                      path + ": SQLite cannot use its WAL here; " + advice(errc::store_unsuitable)};
    }
    if (version < format_version && !upgrade(link)) { return std::nullopt; }
    out.on = std::make_unique<tables>(link);
    if (!read_about(*out.on, out.about)) { return std::nullopt; }
    if (out.about.boot != boot && !begin_boot(link, *out.on, out.file, boot, out.about)) {
        return std::nullopt;
    }
    out.on->set_boot(out.about.boots);
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
