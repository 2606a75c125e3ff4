#include "holdfast/engine/embedded/sqlite_connection.hpp"

#include <sqlite3.h>

#include <sched.h>
#include <string_view>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

/// SQLITE_PROTOCOL: another process stopped while it changed the header of the WAL's index.
bool is_busy(int result) noexcept {
    return (result & 0xff) == SQLITE_BUSY || result == SQLITE_PROTOCOL;
}

/// SQLite's unix VFS, but without sleep: while another process is stopped in the middle of changing
/// the WAL's index, SQLite would sleep for up to ten seconds in `BEGIN`. The engine retries
/// instead.
class vfs_without_sleep {
public:
    [[nodiscard]] static const char* name() {
        static vfs_without_sleep the;
        return the.vfs_.zName;
    }
    vfs_without_sleep(const vfs_without_sleep&) = delete;
    vfs_without_sleep& operator=(const vfs_without_sleep&) = delete;

private:
    vfs_without_sleep() : vfs_{*sqlite3_vfs_find("unix")} {
        vfs_.zName = "holdfast-unix";
        vfs_.xSleep = [](sqlite3_vfs* /*self*/, int /*us*/) {
            ::sched_yield();
            return 0;
        };
        sqlite3_vfs_register(&vfs_, 0);
    }
    ~vfs_without_sleep() { sqlite3_vfs_unregister(&vfs_); } // the library may be unloaded

    sqlite3_vfs vfs_;
};

std::string look_only_uri(const std::string& path) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-_.";
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "file:";
    for (const char each : path) {
        if (plain.find(each) != std::string_view::npos) {
            out += each;
        } else {
            const auto value = static_cast<unsigned char>(each);
            out += '%';
            out += hex[value >> 4U];
            out += hex[value & 0x0fU];
        }
    }
    return out + "?mode=ro&immutable=1";
}

} // namespace

void close_connection::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
void finalize_statement::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

sqlite_connection::sqlite_connection(std::string path, open_mode mode) : path_{std::move(path)} {
    const bool look = mode == open_mode::unlocked_read;
    const std::string name = look ? look_only_uri(path_) : path_;
    const int flags = SQLITE_OPEN_NOMUTEX |
                      (look ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE);
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(name.c_str(), &opened, flags, vfs_without_sleep::name());
    raw_.reset(opened);
    if (result != SQLITE_OK) { throw sqlite_failure(path_, opened, result); }
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_timeout(opened, 0);
    // Others can write the file: nothing in it may run code here or crash this process.
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    // A checkpoint on close would wait for the disk twice and remove files that the next client
    // creates again; limit_wal bounds the WAL.
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    const auto count_pages = [](void* to, sqlite3* /*on*/, const char* /*schema*/, int pages) {
        *static_cast<int*>(to) = pages;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(opened, count_pages, &wal_pages_); // instead of automatic checkpoints
}

// While other processes commit all the time, SQLite's automatic checkpoints never reach the end of
// the WAL, so it never restarts and every commit tries again. So: try at every 4 MB, and from 8 MB
// on block the others until the WAL is empty.
namespace {

constexpr int pages_between_checkpoints = 4000;
constexpr int max_wal_pages = 8000;
constexpr int max_waits_for_readers = 100;

int yield_briefly(void* /*unused*/, int times) {
    ::sched_yield();
    return times < max_waits_for_readers ? 1 : 0;
}

} // namespace

void sqlite_connection::limit_wal() noexcept {
    if (wal_pages_ < pages_between_checkpoints) {
        next_checkpoint_ = pages_between_checkpoints;
    } else if (wal_pages_ >= next_checkpoint_) {
        next_checkpoint_ = wal_pages_ + pages_between_checkpoints;
        checkpoint(wal_pages_ < max_wal_pages ? SQLITE_CHECKPOINT_PASSIVE
                                              : SQLITE_CHECKPOINT_TRUNCATE);
    }
}

void sqlite_connection::truncate_wal() noexcept { checkpoint(SQLITE_CHECKPOINT_TRUNCATE); }

/// Failures (a full disk, a reader) are ignored: the commit has succeeded.
void sqlite_connection::checkpoint(int mode) noexcept {
    sqlite3_busy_handler(raw_.get(), yield_briefly, nullptr);
    sqlite3_wal_checkpoint_v2(raw_.get(), "main", mode, nullptr, nullptr);
    sqlite3_busy_timeout(raw_.get(), 0);
}

bool sqlite_connection::in_transaction() const noexcept {
    return raw_ != nullptr && sqlite3_get_autocommit(raw_.get()) == 0;
}

bool sqlite_connection::run(const char* sql) {
    const int result = sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr);
    if (is_busy(result)) { return false; }
    if (result != SQLITE_OK) { throw sqlite_failure(path_, raw_.get(), result); }
    return true;
}

bool sqlite_connection::query(const char* sql, std::int64_t& number) {
    std::string text;
    if (!query(sql, text)) { return false; }
    number = std::stoll(text);
    return true;
}

bool sqlite_connection::query(const char* sql, std::string& text) {
    sqlite3_stmt* raw = nullptr;
    int result = sqlite3_prepare_v2(raw_.get(), sql, -1, &raw, nullptr);
    const std::unique_ptr<sqlite3_stmt, finalize_statement> owned{raw};
    if (result == SQLITE_OK) { result = sqlite3_step(raw); }
    if (is_busy(result)) { return false; }
    if (result == SQLITE_DONE) { throw damaged(path_, std::string{"no answer to "} + sql); }
    if (result != SQLITE_ROW) { throw sqlite_failure(path_, raw_.get(), result); }
    const auto* const value = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
    text = value == nullptr ? "" : value;
    return true;
}

void statement::prepare() {
    if (raw_ != nullptr) { return; }
    sqlite3_stmt* raw = nullptr;
    const int result =
        sqlite3_prepare_v3(connection_->raw(), sql_, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    raw_.reset(raw);
    if (result != SQLITE_OK) {
        throw sqlite_failure(connection_->path(), connection_->raw(), result);
    }
}

statement& statement::bind(int parameter, std::int64_t value) {
    prepare();
    sqlite3_bind_int64(raw_.get(), parameter, value);
    return *this;
}

statement& statement::bind(int parameter, bytes value) {
    prepare();
    // An empty blob, not NULL, where there are no bytes.
    const void* const data = value.empty() ? static_cast<const void*>("") : value.data();
    sqlite3_bind_blob64(raw_.get(), parameter, data, value.size(), SQLITE_STATIC);
    return *this;
}

statement& statement::bind(int parameter, const std::string& value) {
    return bind(parameter, std::as_bytes(std::span{value}));
}

failure statement::failed(int result) {
    failure why = sqlite_failure(connection_->path(), connection_->raw(), result);
    reset(); // only now: it may change the error of the connection
    return why;
}

bool statement::step() {
    prepare();
    const int result = sqlite3_step(raw_.get());
    if (result == SQLITE_ROW) { return true; }
    if (result == SQLITE_DONE) { return false; }
    throw failed(result);
}

void statement::run() {
    const statement_reset reset_after{*this};
    (void)step();
}

bool statement::try_run() {
    prepare();
    const int result = sqlite3_step(raw_.get());
    if (result == SQLITE_DONE || is_busy(result)) {
        reset();
        return result == SQLITE_DONE;
    }
    throw failed(result);
}

void statement::reset() noexcept { sqlite3_reset(raw_.get()); }

std::int64_t statement::number(int column) const noexcept {
    return sqlite3_column_int64(raw_.get(), column);
}

bytes statement::blob(int column) const noexcept {
    const void* const data = sqlite3_column_blob(raw_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column));
    return {static_cast<const std::byte*>(data), data == nullptr ? 0 : size};
}

std::string statement::text(int column) const {
    const bytes raw = blob(column);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

} // namespace holdfast::engine::embedded
