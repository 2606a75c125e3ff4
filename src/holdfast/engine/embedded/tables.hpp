#pragma once
// The tables: one row per name, one row per waiter, one row about the file itself, and one with the
// mark of the tokens.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/admission/record.hpp"
#include "holdfast/engine/embedded/cell_table.hpp"
#include "holdfast/engine/embedded/codec.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/row_cache.hpp"
#include "holdfast/engine/embedded/sqlite_connection.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::embedded {

/// "Hfst": marks SQLite files of Holdfast.
inline constexpr std::int64_t application_id = 0x48667374;
/// Incremented when an older Holdfast must not use the file any more. See format_upgrade.hpp.
inline constexpr std::int64_t format_version = 3;

/// A name's row.
struct row {
    std::int64_t id = 0; ///< 0: not in the file yet
    admission::record state;
};

/// What the file records about itself.
struct file_header {
    std::string boot;        ///< id of the boot of the machine in which the file was last used
    std::uint32_t boots = 0; ///< how many boots the file has seen
    live_id live{};
};

/// The prepared statements of one connection, for use inside a transaction. Throws failure.
class tables {
public:
    explicit tables(sqlite_connection& connection);

    /// Creates the tables. REQUIRES: the database is empty.
    static void create(sqlite_connection& connection);

    /// False: busy.
    [[nodiscard]] bool begin_write();
    [[nodiscard]] bool begin_read();
    void commit();
    bool rollback() noexcept; ///< false: the transaction is still open

    [[nodiscard]] file_header header();
    void put(const file_header& header);

    void set_boot(std::uint32_t boot) noexcept { boot_ = boot; }

    /// The highest token of all deleted rows: see admission::record::floor.
    [[nodiscard]] std::uint64_t mark();
    void raise_mark(std::uint64_t token);

    [[nodiscard]] row find(const std::string& name);
    /// Empty: there is no such row, or its record is damaged.
    [[nodiscard]] std::optional<row> find(std::int64_t id);
    void put(row& row, const std::string& name);
    void remove(std::int64_t id);
    [[nodiscard]] std::int64_t count();
    [[nodiscard]] std::int64_t last_id();

    /// Visits rows in the order of their names, from `from` on, until `visitor` returns false.
    void visit_names(const std::string& from,
                     const std::function<bool(const std::string& name, row&& row)>& visitor);
    /// The ids above `after`, in order; at most `max`.
    [[nodiscard]] std::vector<std::int64_t> ids(std::int64_t after, std::int64_t max);

    // The waiters of the name with row `id`, first in, first out.
    struct queued_waiter {
        std::int64_t seq = 0;
        admission::waiter waiter;
    };
    [[nodiscard]] std::optional<queued_waiter> first_waiter(std::int64_t id);
    void push_waiter(std::int64_t id, const admission::waiter& waiter);
    [[nodiscard]] bool touch_waiter(std::int64_t id, const base::owner_id& owner,
                                    base::instant alive_until);
    [[nodiscard]] bool remove_waiter(std::int64_t id, const base::owner_id& owner);
    void remove_waiter(std::int64_t id, std::int64_t seq);
    [[nodiscard]] std::optional<std::int64_t> seq_of(std::int64_t id, const base::owner_id& owner);
    /// How many waiters are before `seq`; counts up to `max`.
    [[nodiscard]] std::int64_t waiters_before(std::int64_t id, std::int64_t seq, std::int64_t max);
    [[nodiscard]] std::vector<queued_waiter> waiters(std::int64_t id);
    void remove_all_waiters() { remove_all_waiters_.run(); }

    [[nodiscard]] cell_table& cells() noexcept { return cells_; }

private:
    [[nodiscard]] admission::record read_record(bytes from) const;
    [[nodiscard]] queued_waiter read_waiter(const statement& from) const;
    [[nodiscard]] std::int64_t changes() const noexcept;
    [[nodiscard]] std::optional<unsigned> data_version() noexcept;

    sqlite_connection& connection_;
    std::uint32_t boot_ = 0;
    buffer scratch_;
    row_cache cache_;

    statement begin_write_;
    statement begin_read_;
    statement take_snapshot_;
    statement commit_;
    statement read_header_;
    statement put_header_;
    statement mark_;
    statement raise_mark_;
    statement find_;
    statement find_id_;
    statement insert_;
    statement update_;
    statement remove_;
    statement count_;
    statement last_id_;
    statement by_name_;
    statement ids_;
    statement first_waiter_;
    statement push_waiter_;
    statement touch_waiter_;
    statement remove_waiter_;
    statement remove_seq_;
    statement seq_of_;
    statement before_;
    statement waiters_;
    statement remove_all_waiters_;
    cell_table cells_{connection_};
};

} // namespace holdfast::engine::embedded
