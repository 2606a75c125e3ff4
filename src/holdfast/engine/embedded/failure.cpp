#include "holdfast/engine/embedded/failure.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <system_error>

namespace holdfast::engine::embedded {

const char* advice(errc code) noexcept {
    switch (code) {
    case errc::store_full: return "make room on the disk; nothing was changed";
    case errc::store_foreign:
        return "give Holdfast a file of its own, e.g. embedded:/path/locks.db";
    case errc::store_damaged:
        return "end the processes that use it and move it, its -wal and its -shm away; a new one "
               "is made";
    case errc::store_forbidden:
        return "give this user the right to read and write it and its folder, or use another file: "
               "embedded:/path";
    case errc::store_unsuitable: return "use a file on a local disk: embedded:/path";
    case errc::store_replaced: return "the next operation opens the file anew";
    default: return "try again";
    }
}

errc errc_of_errno(int number) noexcept {
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return errc::store_full;
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOENT:
    case ENOTDIR: return errc::store_forbidden;
    case ELOOP:
    case ENAMETOOLONG:
    case EISDIR:
    case ENXIO:
    case EINVAL:
    case ENOSYS:
    case EOPNOTSUPP: return errc::store_unsuitable;
    case EIO: return errc::store_damaged;
    default: return errc::unavailable; // EMFILE, ENFILE, ENOMEM, ...: temporary
    }
}

errc errc_of_sqlite(int sqlite_result, int system_error) noexcept {
    switch (sqlite_result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM: return errc::unavailable;
    case SQLITE_FULL: return errc::store_full;
    case SQLITE_NOTADB: return errc::store_foreign;
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT: return errc::store_damaged;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY: return errc::store_forbidden;
    case SQLITE_CANTOPEN:
        return system_error != 0 ? errc_of_errno(system_error) : errc::store_forbidden;
    case SQLITE_IOERR:
        // SQLite reports FULL only for ENOSPC; a quota or file size limit is an I/O error to it.
        if (sqlite_result == SQLITE_IOERR_SHMSIZE) { return errc::store_full; }
        if (sqlite_result == SQLITE_IOERR_NOMEM) { return errc::unavailable; }
        if (system_error != 0 && errc_of_errno(system_error) != errc::unavailable) {
            return errc_of_errno(system_error);
        }
        return errc::store_damaged;
    default: return errc::internal;
    }
}

failure system_failure(const std::string& path, const char* action, int number) {
    const errc code = errc_of_errno(number);
    return {code, path + ": cannot " + action + ": " + std::generic_category().message(number) +
                      "; " + advice(code)};
}

namespace {

int last_errno_of(sqlite3_file* file) noexcept {
    int number = 0;
    if (file == nullptr || file->pMethods == nullptr) { return 0; }
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

/// SQLite drops the errno of a failed COMMIT; its open files still have it.
int io_errno(sqlite3* connection, int current) noexcept {
    if (const int number = sqlite3_system_errno(connection); number != 0) { return number; }
    for (const int pointer : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
        sqlite3_file* file = nullptr;
        sqlite3_file_control(connection, "main", pointer, static_cast<void*>(&file));
        if (const int number = last_errno_of(file); number != 0) { return number; }
    }
    return errc_of_errno(current) == errc::store_full ? current : 0;
}

} // namespace

failure sqlite_failure(const std::string& path, sqlite3* connection, int result) {
    const int current = errno;
    int number = 0;
    std::string message = sqlite3_errstr(result);
    if (connection != nullptr) {
        message = sqlite3_errmsg(connection);
        number = sqlite3_system_errno(connection);
        if ((result & 0xff) == SQLITE_IOERR) { number = io_errno(connection, current); }
    }
    const errc code = errc_of_sqlite(result, number);
    if (number != 0 && (result & 0xff) != SQLITE_NOTADB) {
        message += " (" + std::generic_category().message(number) + ")";
    }
    return {code, path + ": " + message + "; " + advice(code)};
}

failure damaged(const std::string& path, const std::string& reason) {
    return {errc::store_damaged, path + ": " + reason + "; " + advice(errc::store_damaged)};
}

} // namespace holdfast::engine::embedded
