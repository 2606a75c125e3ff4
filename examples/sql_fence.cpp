// A table that refuses late writes. The same statements work in any SQL database; here it is
// SQLite. The lock may be on another engine.

#include <holdfast/holdfast.hpp>

#include <sqlite3.h>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

namespace {

constexpr const char* make_table = R"sql(
-- [doc: sql table]
CREATE TABLE stock (
    name  TEXT PRIMARY KEY,
    items INTEGER NOT NULL,
    token INTEGER NOT NULL DEFAULT 0   -- 64 bits: BIGINT elsewhere
);
-- [end]
INSERT INTO stock (name, items) VALUES ('1001', 5);
)sql";

constexpr const char* take_over = R"sql(
-- [doc: sql take over]
UPDATE stock SET token = :token
 WHERE name = :name AND token <= :token;
-- [end]
)sql";

constexpr const char* guarded_write = R"sql(
-- [doc: sql write]
UPDATE stock SET items = :items, token = :token
 WHERE name = :name AND token <= :token;
-- [end]
)sql";

/// One row of the table, as one holder of the lock uses it.
class database {
public:
    database() {
        check(sqlite3_open(":memory:", &db_));
        check(sqlite3_exec(db_, make_table, nullptr, nullptr, nullptr));
    }
    database(const database&) = delete;
    database& operator=(const database&) = delete;
    ~database() { sqlite3_close(db_); }

    /// Returns false, here and below, if no row was changed: a newer holder has written. Stop, and
    /// do not retry.
    bool begin(std::uint64_t token) { return run(take_over, token, 0) == 1; }
    bool write(int items, std::uint64_t token) { return run(guarded_write, token, items) == 1; }

    int items() {
        sqlite3_stmt* statement = prepare("SELECT items FROM stock WHERE name = '1001'");
        const bool found = sqlite3_step(statement) == SQLITE_ROW;
        const int count = found ? sqlite3_column_int(statement, 0) : -1;
        sqlite3_finalize(statement);
        return count;
    }

private:
    /// Returns the number of changed rows.
    int run(const char* sql, std::uint64_t token, int items) {
        sqlite3_stmt* statement = prepare(sql);
        const auto index_of = [statement](const char* name) {
            return sqlite3_bind_parameter_index(statement, name);
        };
        sqlite3_bind_text(statement, index_of(":name"), "1001", -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, index_of(":token"), static_cast<sqlite3_int64>(token));
        sqlite3_bind_int(statement, index_of(":items"), items); // ignored if the statement has none
        const bool done = sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_finalize(statement);
        if (!done) { throw std::runtime_error{sqlite3_errmsg(db_)}; }
        return sqlite3_changes(db_);
    }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr));
        return statement;
    }
    static void check(int result) {
        if (result != SQLITE_OK) { throw std::runtime_error{sqlite3_errstr(result)}; }
    }

    sqlite3* db_ = nullptr;
};

const char* word(bool done) { return done ? "accepted" : "refused"; }

} // namespace

int main(int argc, char** argv) {
    holdfast::client fleet{argc > 1 ? argv[1] : "embedded:"};
    holdfast::mutex stock{fleet, "stock:1001"};
    database shop;

    const auto paused = stock.acquire({.lease = 200ms, .renew = false});
    std::cout << "first seller begins:  " << word(shop.begin(paused.token())) << '\n';
    const int seen = shop.items();
    std::this_thread::sleep_for(300ms); // paused for longer than its lease

    const auto next = stock.acquire(); // the second takes over, and reads
    std::cout << "second seller begins: " << word(shop.begin(next.token())) << '\n';
    const int seen_by_next = shop.items();

    // The first continues and sells one; the second sells two. Without tokens the table would
    // record two sales, not three.
    std::cout << "first seller writes:  " << word(shop.write(seen - 1, paused.token())) << '\n';
    std::cout << "second seller writes: " << word(shop.write(seen_by_next - 2, next.token()))
              << '\n';
    std::cout << "in stock: " << shop.items() << '\n';
}
