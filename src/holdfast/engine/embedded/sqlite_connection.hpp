#pragma once
// SQLite, as little of it as is needed: a connection and its statements, which close themselves.

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
class connection {
public:
    enum class access : std::uint8_t {
        read_write,
        /// Only the file as it is now: no locks, no recovery, no files beside it. For looking at
        /// what may belong to somebody else.
        look_only,
    };
    connection(std::string path, access wanted);
    connection(const connection&) = delete; // SQLite keeps a pointer into it
    connection& operator=(const connection&) = delete;
    ~connection() = default;

    [[nodiscard]] sqlite3* raw() const noexcept { return raw_.get(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// False: busy.
    [[nodiscard]] bool run(const char* sql);
    /// The first column of the first row. REQUIRES: there is one. False: busy.
    [[nodiscard]] bool ask(const char* sql, std::int64_t& number);
    [[nodiscard]] bool ask(const char* sql, std::string& text);
    [[nodiscard]] bool in_transaction() const noexcept;

    /// After a commit: moves what is in the WAL into the database when it has become long. Whoever
    /// does that waits for the disk.
    void keep_wal_short() noexcept;
    /// Moves all of it, if no reader is in the way.
    void empty_wal() noexcept;

private:
    void checkpoint(int how) noexcept;

    std::string path_;
    int wal_pages_ = 0;       ///< after the last commit
    int next_checkpoint_ = 0; ///< when it has so many
    std::unique_ptr<sqlite3, close_connection> raw_;
};

/// Is prepared when it is first used, so that opening a store costs little.
/// Bound bytes must outlive the step.
class statement {
public:
    statement(connection& on, const char* sql) noexcept : on_{&on}, sql_{sql} {}

    statement& bind(int place, std::int64_t value);
    statement& bind(int place, bytes value);
    statement& bind(int place, const std::string& value);
    /// True: there is a row. Throws failure; busy is a failure too.
    [[nodiscard]] bool step();
    /// For what gives no rows.
    void run();
    /// For BEGIN: false if another process is in the way.
    [[nodiscard]] bool try_run();
    void reset() noexcept;

    [[nodiscard]] std::int64_t number(int column) const noexcept;
    [[nodiscard]] bytes blob(int column) const noexcept; ///< until the next step or reset
    [[nodiscard]] std::string text(int column) const;

private:
    void prepare();
    [[nodiscard]] failure failed(int result);

    connection* on_;
    const char* sql_;
    std::unique_ptr<sqlite3_stmt, finalize_statement> raw_;
};

/// Resets a statement that gives rows when it goes out of scope: a statement left in the middle
/// would keep the transaction open.
class rows {
public:
    explicit rows(statement& statement) noexcept : statement_{statement} {}
    rows(const rows&) = delete;
    rows& operator=(const rows&) = delete;
    ~rows() { statement_.reset(); }
    [[nodiscard]] bool next() { return statement_.step(); }

private:
    statement& statement_;
};

} // namespace holdfast::engine::embedded
