#pragma once
// RAII wrappers of SQLite: a connection and its statements.

#include "holdfast/engine/embedded/codec.hpp"
#include "holdfast/engine/embedded/failure.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace holdfast::engine::embedded {

struct close_connection {
    void operator()(sqlite3* database) const noexcept;
};
struct finalize_statement {
    void operator()(sqlite3_stmt* statement) const noexcept;
};

/// One connection, used by one thread at a time. Throws failure.
class sqlite_connection {
public:
    enum class open_mode : std::uint8_t {
        read_write,
        /// Without locks, recovery and other files: for a file that may be another program's.
        unlocked_read,
    };
    sqlite_connection(std::string path, open_mode mode);
    sqlite_connection(const sqlite_connection&) = delete; // SQLite keeps a pointer into it
    sqlite_connection& operator=(const sqlite_connection&) = delete;
    ~sqlite_connection() = default;

    [[nodiscard]] sqlite3* raw() const noexcept { return raw_.get(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// False: busy.
    [[nodiscard]] bool run(const char* sql);
    /// The first column of the first row. REQUIRES: there is one. False: busy.
    [[nodiscard]] bool query(const char* sql, std::int64_t& number);
    [[nodiscard]] bool query(const char* sql, std::string& text);
    [[nodiscard]] bool in_transaction() const noexcept;

    /// After a commit: runs a checkpoint when the WAL has become long. That waits for the disk.
    void limit_wal() noexcept;
    /// Runs a checkpoint that empties the WAL, if no reader prevents it.
    void truncate_wal() noexcept;

private:
    void checkpoint(int mode) noexcept;

    std::string path_;
    int wal_pages_ = 0;       ///< after the last commit
    int next_checkpoint_ = 0; ///< the number of pages at which to try
    std::unique_ptr<sqlite3, close_connection> raw_;
};

/// A statement that is prepared at its first use, so that opening a store costs little. Bound bytes
/// must outlive the step.
class statement {
public:
    statement(sqlite_connection& connection, const char* sql) noexcept
        : connection_{&connection}, sql_{sql} {}

    statement& bind(int parameter, std::int64_t value);
    statement& bind(int parameter, bytes value);
    statement& bind(int parameter, const std::string& value);
    /// True: there is a row. Throws failure; busy is a failure too.
    [[nodiscard]] bool step();
    /// For a statement without rows.
    void run();
    /// For BEGIN: false if the file is busy.
    [[nodiscard]] bool try_run();
    void reset() noexcept;

    [[nodiscard]] std::int64_t number(int column) const noexcept;
    [[nodiscard]] bytes blob(int column) const noexcept; ///< until the next step or reset
    [[nodiscard]] std::string text(int column) const;

private:
    void prepare();
    [[nodiscard]] failure failed(int result);

    sqlite_connection* connection_;
    const char* sql_;
    std::unique_ptr<sqlite3_stmt, finalize_statement> raw_;
};

/// Resets a statement at the end of the scope: one that is not reset would keep the transaction
/// open.
class statement_reset {
public:
    explicit statement_reset(statement& statement) noexcept : statement_{statement} {}
    statement_reset(const statement_reset&) = delete;
    statement_reset& operator=(const statement_reset&) = delete;
    ~statement_reset() { statement_.reset(); }
    [[nodiscard]] bool next() { return statement_.step(); }

private:
    statement& statement_;
};

} // namespace holdfast::engine::embedded
