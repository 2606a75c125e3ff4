#include "holdfast/engine/embedded/tables.hpp"

#include "holdfast/engine/embedded/failure.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace holdfast::engine::embedded {

namespace {

// A rowid table for the names: its leaf holds rows of nearly a page. A table without rowid moves
// all beyond a quarter of a page to an overflow page, and each acquire would write two pages.
constexpr const char* schema =
    "CREATE TABLE about(one INTEGER PRIMARY KEY CHECK(one = 1), boot BLOB NOT NULL,"
    " boots INTEGER NOT NULL, live BLOB NOT NULL);"
    "CREATE TABLE token_mark(one INTEGER PRIMARY KEY CHECK(one = 1), mark INTEGER NOT NULL);"
    "INSERT INTO token_mark VALUES(1, 0);"
    "CREATE TABLE names(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, body BLOB NOT NULL);"
    "CREATE TABLE waiters(lock INTEGER NOT NULL, seq INTEGER NOT NULL, owner BLOB NOT NULL,"
    " alive_until INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY(lock, seq)) WITHOUT ROWID;"
    "CREATE UNIQUE INDEX waiters_by_owner ON waiters(lock, owner);";

std::int64_t ticks(base::instant at) noexcept { return at.time_since_epoch().count(); }

} // namespace

tables::tables(sqlite_connection& connection)
    : connection_{connection},
      begin_write_{connection, "BEGIN IMMEDIATE"},
      begin_read_{connection, "BEGIN"},
      take_snapshot_{connection, "SELECT 1 FROM about WHERE one = 0"},
      commit_{connection, "COMMIT"},
      read_header_{connection, "SELECT boot, boots, live FROM about"},
      put_header_{connection,
                  "INSERT OR REPLACE INTO about(one, boot, boots, live) VALUES(1, ?1, ?2, ?3)"},
      mark_{connection, "SELECT mark FROM token_mark"},
      raise_mark_{connection, "UPDATE token_mark SET mark = ?1 WHERE mark < ?1"},
      find_{connection, "SELECT id, body FROM names WHERE name = ?1"},
      find_id_{connection, "SELECT body FROM names WHERE id = ?1"},
      insert_{connection, "INSERT INTO names(name, body) VALUES(?1, ?2)"},
      update_{connection, "UPDATE names SET body = ?2 WHERE id = ?1"},
      remove_{connection, "DELETE FROM names WHERE id = ?1"},
      count_{connection, "SELECT count(*) FROM names"},
      last_id_{connection, "SELECT coalesce(max(id), 0) FROM names"},
      by_name_{connection, "SELECT id, body, name FROM names WHERE name >= ?1 ORDER BY name"},
      ids_{connection, "SELECT id FROM names WHERE id > ?1 ORDER BY id LIMIT ?2"},
      first_waiter_{connection, "SELECT seq, owner, alive_until, body FROM waiters WHERE lock = ?1"
                                " ORDER BY seq LIMIT 1"},
      push_waiter_{connection, "INSERT INTO waiters(lock, seq, owner, alive_until, body) VALUES(?1,"
                               " (SELECT coalesce(max(seq), 0) + 1 FROM waiters WHERE lock = ?1),"
                               " ?2, ?3, ?4)"},
      touch_waiter_{connection,
                    "UPDATE waiters SET alive_until = ?3 WHERE lock = ?1 AND owner = ?2"},
      remove_waiter_{connection, "DELETE FROM waiters WHERE lock = ?1 AND owner = ?2"},
      remove_seq_{connection, "DELETE FROM waiters WHERE lock = ?1 AND seq = ?2"},
      seq_of_{connection, "SELECT seq FROM waiters WHERE lock = ?1 AND owner = ?2"},
      before_{connection, "SELECT count(*) FROM (SELECT 1 FROM waiters WHERE lock = ?1 AND seq < ?2"
                          " LIMIT ?3)"},
      waiters_{connection, "SELECT seq, owner, alive_until, body FROM waiters WHERE lock = ?1"
                           " ORDER BY seq"},
      remove_all_waiters_{connection, "DELETE FROM waiters"} {}

void tables::create(sqlite_connection& connection) {
    // In an exclusive transaction, so it cannot be busy.
    [[maybe_unused]] const bool done = connection.run(schema);
    assert(done);
}

bool tables::begin_write() {
    if (!begin_write_.try_run()) { return false; }
    cache_.begin(data_version());
    return true;
}

/// BEGIN alone takes no lock. The first SELECT does; after it no statement can find the file busy.
bool tables::begin_read() {
    if (!begin_read_.try_run()) { return false; }
    if (!take_snapshot_.try_run()) {
        rollback();
        return false;
    }
    cache_.begin(data_version());
    return true;
}

/// It changes when this connection or another one commits. SQLite learns of others when a
/// transaction begins, so it is read in one.
std::optional<unsigned> tables::data_version() noexcept {
    unsigned version = 0;
    const int result =
        sqlite3_file_control(connection_.raw(), "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return result == SQLITE_OK ? std::optional{version} : std::nullopt;
}

void tables::commit() {
    commit_.run();
    cache_.commit(data_version());
}

bool tables::rollback() noexcept {
    cache_.clear();
    // After some errors SQLite has rolled back already.
    if (connection_.in_transaction()) {
        sqlite3_exec(connection_.raw(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    return !connection_.in_transaction();
}

file_header tables::header() {
    const statement_reset reset_after{read_header_};
    file_header out;
    if (!read_header_.step()) {
        throw damaged(connection_.path(), "the row about the file is missing");
    }
    out.boot = read_header_.text(0);
    const std::int64_t boots = read_header_.number(1);
    const bytes live = read_header_.blob(2);
    if (boots < 0 || boots > UINT32_MAX || live.size() != out.live.size()) {
        throw damaged(connection_.path(), "the row about the file makes no sense");
    }
    out.boots = static_cast<std::uint32_t>(boots);
    std::copy(live.begin(), live.end(), out.live.begin());
    return out;
}

void tables::put(const file_header& header) {
    put_header_.bind(1, header.boot).bind(2, header.boots).bind(3, bytes{header.live}).run();
}

std::uint64_t tables::mark() {
    const statement_reset reset_after{mark_};
    if (!mark_.step()) { throw damaged(connection_.path(), "the mark of the tokens is missing"); }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(mark_.number(0), 0));
}

void tables::raise_mark(std::uint64_t token) {
    raise_mark_.bind(1, static_cast<std::int64_t>(token)).run();
}

admission::record tables::read_record(bytes from) const {
    auto state = decode_record(from, boot_);
    if (!state) { throw damaged(connection_.path(), "the record of a name makes no sense"); }
    return std::move(*state);
}

row tables::find(const std::string& name) {
    if (const auto* const known = cache_.find(name)) {
        return {known->id, read_record(known->body)};
    }
    row out;
    find_.bind(1, name);
    const statement_reset reset_after{find_};
    if (find_.step()) {
        out.id = find_.number(0);
        out.state = read_record(find_.blob(1));
    }
    return out;
}

std::optional<row> tables::find(std::int64_t id) {
    find_id_.bind(1, id);
    const statement_reset reset_after{find_id_};
    if (!find_id_.step()) { return std::nullopt; }
    auto state = decode_record(find_id_.blob(0), boot_);
    if (!state) { return std::nullopt; }
    return row{id, std::move(*state)};
}

void tables::put(row& row, const std::string& name) {
    encode(row.state, boot_, scratch_);
    row_cache::entry* known = nullptr;
    if (name.empty()) {
        cache_.clear(); // it may know the row
    } else {
        known = cache_.put(name, scratch_);
    }
    if (row.id != 0) {
        update_.bind(1, row.id).bind(2, scratch_).run();
    } else {
        insert_.bind(1, name).bind(2, scratch_).run();
        row.id = sqlite3_last_insert_rowid(connection_.raw());
    }
    if (known != nullptr) { known->id = row.id; }
}

void tables::remove(std::int64_t id) {
    cache_.clear(); // it may know the row
    remove_.bind(1, id).run();
}

std::int64_t tables::count() {
    const statement_reset reset_after{count_};
    return count_.step() ? count_.number(0) : 0;
}

std::int64_t tables::last_id() {
    const statement_reset reset_after{last_id_};
    return last_id_.step() ? last_id_.number(0) : 0;
}

void tables::visit_names(const std::string& from,
                         const std::function<bool(const std::string&, row&&)>& visitor) {
    by_name_.bind(1, from);
    const statement_reset reset_after{by_name_};
    while (by_name_.step()) {
        row row{by_name_.number(0), read_record(by_name_.blob(1))};
        if (!visitor(by_name_.text(2), std::move(row))) { break; }
    }
}

std::vector<std::int64_t> tables::ids(std::int64_t after, std::int64_t max) {
    std::vector<std::int64_t> out;
    ids_.bind(1, after).bind(2, max);
    const statement_reset reset_after{ids_};
    while (ids_.step()) { out.push_back(ids_.number(0)); }
    return out;
}

tables::queued_waiter tables::read_waiter(const statement& from) const {
    queued_waiter out;
    out.seq = from.number(0);
    const auto owner = decode_owner(from.blob(1));
    out.waiter.alive_until = base::instant{base::duration{from.number(2)}};
    if (!owner || !decode_waiter(from.blob(3), out.waiter)) {
        throw damaged(connection_.path(), "the record of a waiter makes no sense");
    }
    out.waiter.owner = *owner;
    return out;
}

std::optional<tables::queued_waiter> tables::first_waiter(std::int64_t id) {
    first_waiter_.bind(1, id);
    const statement_reset reset_after{first_waiter_};
    if (!first_waiter_.step()) { return std::nullopt; }
    return read_waiter(first_waiter_);
}

void tables::push_waiter(std::int64_t id, const admission::waiter& waiter) {
    encode(waiter, scratch_);
    const owner_key owner = encode_owner(waiter.owner);
    push_waiter_.bind(1, id).bind(2, bytes{owner}).bind(3, ticks(waiter.alive_until));
    push_waiter_.bind(4, scratch_).run();
}

bool tables::touch_waiter(std::int64_t id, const base::owner_id& owner_id,
                          base::instant alive_until) {
    const owner_key owner = encode_owner(owner_id);
    touch_waiter_.bind(1, id).bind(2, bytes{owner}).bind(3, ticks(alive_until)).run();
    return changes() > 0;
}

bool tables::remove_waiter(std::int64_t id, const base::owner_id& owner_id) {
    const owner_key owner = encode_owner(owner_id);
    remove_waiter_.bind(1, id).bind(2, bytes{owner}).run();
    return changes() > 0;
}

void tables::remove_waiter(std::int64_t id, std::int64_t seq) {
    remove_seq_.bind(1, id).bind(2, seq).run();
}

std::optional<std::int64_t> tables::seq_of(std::int64_t id, const base::owner_id& owner_id) {
    const owner_key owner = encode_owner(owner_id);
    seq_of_.bind(1, id).bind(2, bytes{owner});
    const statement_reset reset_after{seq_of_};
    if (!seq_of_.step()) { return std::nullopt; }
    return seq_of_.number(0);
}

std::int64_t tables::waiters_before(std::int64_t id, std::int64_t seq, std::int64_t max) {
    before_.bind(1, id).bind(2, seq).bind(3, max);
    const statement_reset reset_after{before_};
    return before_.step() ? before_.number(0) : 0;
}

std::vector<tables::queued_waiter> tables::waiters(std::int64_t id) {
    std::vector<queued_waiter> out;
    waiters_.bind(1, id);
    const statement_reset reset_after{waiters_};
    while (waiters_.step()) { out.push_back(read_waiter(waiters_)); }
    return out;
}

std::int64_t tables::changes() const noexcept { return sqlite3_changes(connection_.raw()); }

} // namespace holdfast::engine::embedded
