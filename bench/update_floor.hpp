#pragma once
// The floor for a lock in SQLite: a transaction that updates one row.

#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace holdfast::bench {

/// With the journal mode of the embedded engine: WAL, synchronous=NORMAL, a checkpoint every 4,000
/// pages.
class update_floor {
public:
    update_floor(const std::string& file, int page_size) {
        check(::sqlite3_open(file.c_str(), &db_));
        run(("PRAGMA page_size=" + std::to_string(page_size)).c_str());
        run("PRAGMA journal_mode=WAL");
        run("PRAGMA synchronous=NORMAL");
        run("PRAGMA wal_autocheckpoint=4000");
        run("CREATE TABLE t (name TEXT PRIMARY KEY, value INTEGER)");
        run("INSERT INTO t VALUES ('stock:1001', 0)");
        begin_ = prepare("BEGIN IMMEDIATE");
        update_ = prepare("UPDATE t SET value = value + 1 WHERE name = 'stock:1001'");
        commit_ = prepare("COMMIT");
    }
    update_floor(const update_floor&) = delete;
    update_floor& operator=(const update_floor&) = delete;
    ~update_floor() {
        ::sqlite3_finalize(begin_);
        ::sqlite3_finalize(update_);
        ::sqlite3_finalize(commit_);
        ::sqlite3_close(db_);
    }

    void transaction() {
        step(begin_);
        step(update_);
        step(commit_);
    }

private:
    static void check(int code) {
        if (code != SQLITE_OK) { throw std::runtime_error{::sqlite3_errstr(code)}; }
    }
    void run(const char* sql) { check(::sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* out = nullptr;
        check(::sqlite3_prepare_v2(db_, sql, -1, &out, nullptr));
        return out;
    }
    static void step(sqlite3_stmt* statement) {
        if (::sqlite3_step(statement) != SQLITE_DONE) { throw std::runtime_error{"step failed"}; }
        ::sqlite3_reset(statement);
    }

    sqlite3* db_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* update_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
};

} // namespace holdfast::bench
