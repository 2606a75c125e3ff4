// Rows that a connection keeps: it must see what others have written, and forget what it has not
// committed.

#include "holdfast/engine/embedded/tables.hpp"
#include "support/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace holdfast::engine::embedded {
namespace {

class embedded_row_cache : public ::testing::Test {
protected:
    struct client {
        explicit client(const std::string& path)
            : connection{path, sqlite_connection::open_mode::read_write}, rows{connection} {}

        std::uint64_t token(const std::string& name) {
            EXPECT_TRUE(rows.begin_write());
            const auto found = rows.find(name).state.high_water;
            rows.commit();
            return found;
        }
        void write(const std::string& name, std::uint64_t token) {
            row found = rows.find(name);
            found.state.high_water = token;
            rows.put(found, name);
        }
        void write_and_commit(const std::string& name, std::uint64_t token) {
            EXPECT_TRUE(rows.begin_write());
            write(name, token);
            rows.commit();
        }
        std::int64_t id(const std::string& name) {
            EXPECT_TRUE(rows.begin_read());
            const auto found = rows.find(name).id;
            rows.commit();
            return found;
        }

        sqlite_connection connection;
        tables rows;
    };

    static std::string make_file(const std::string& path) {
        sqlite3* raw = nullptr;
        sqlite3_open(path.c_str(), &raw);
        sqlite3_close(raw);
        sqlite_connection connection{path, sqlite_connection::open_mode::read_write};
        std::string journal;
        EXPECT_TRUE(connection.query("PRAGMA journal_mode = WAL", journal));
        tables::create(connection);
        return path;
    }

    test::scratch_folder folder;
    const std::string path = make_file(folder / "locks.db");
    client mine{path};
    client other{path};
};

TEST_F(embedded_row_cache, P1_a_row_that_another_connection_has_written_is_read_again) {
    mine.write_and_commit("n", 1);
    for (std::uint64_t token = 2; token < 20; token += 2) {
        other.write_and_commit("n", token);
        EXPECT_EQ(mine.token("n"), token);
        EXPECT_EQ(mine.token("n"), token) << "from its cache";
        mine.write_and_commit("n", token + 1);
        EXPECT_EQ(mine.token("n"), token + 1);
        EXPECT_EQ(other.token("n"), token + 1);
    }
}

TEST_F(embedded_row_cache, P1_it_is_read_again_although_this_connection_has_written_since) {
    mine.write_and_commit("n", 1);
    other.write_and_commit("n", 2);
    mine.write_and_commit("m", 3); // another row, in the transaction that sees the other's
    EXPECT_EQ(mine.token("n"), 2U);
}

TEST_F(embedded_row_cache, P1_what_was_rolled_back_is_not_kept) {
    mine.write_and_commit("n", 1);
    ASSERT_TRUE(mine.rows.begin_write());
    mine.write("n", 2);
    mine.write("new", 2);
    ASSERT_TRUE(mine.rows.rollback());
    EXPECT_EQ(mine.token("n"), 1U);
    EXPECT_EQ(mine.id("new"), 0);
}

TEST_F(embedded_row_cache, what_sqlite_has_rolled_back_by_itself_is_not_kept) {
    mine.write_and_commit("n", 1);
    ASSERT_TRUE(mine.rows.begin_write());
    mine.write("n", 2);
    ASSERT_TRUE(mine.connection.run("ROLLBACK"));
    EXPECT_EQ(mine.token("n"), 1U);
}

TEST_F(embedded_row_cache, a_deleted_row_is_not_kept_nor_its_id) {
    mine.write_and_commit("n", 1);
    const auto id = mine.id("n");
    ASSERT_TRUE(mine.rows.begin_write());
    mine.rows.remove(id);
    mine.rows.commit();
    EXPECT_EQ(mine.id("n"), 0);
    mine.write_and_commit("n", 2);
    ASSERT_TRUE(other.rows.begin_write());
    other.rows.remove(other.rows.find("n").id);
    other.write("m", 7); // may get the id of the deleted row
    other.rows.commit();
    EXPECT_EQ(mine.id("n"), 0);
    EXPECT_EQ(mine.token("m"), 7U);
}

TEST_F(embedded_row_cache, a_row_that_is_written_by_its_id_is_read_again) {
    mine.write_and_commit("n", 1);
    ASSERT_TRUE(mine.rows.begin_write());
    auto found = mine.rows.find(mine.rows.find("n").id);
    ASSERT_TRUE(found);
    found->state.high_water = 2;
    mine.rows.put(*found, {});
    mine.rows.commit();
    EXPECT_EQ(mine.token("n"), 2U);
}

TEST_F(embedded_row_cache, a_checkpoint_in_between_changes_nothing) {
    mine.write_and_commit("n", 1);
    mine.connection.truncate_wal();
    EXPECT_EQ(mine.token("n"), 1U);
    other.connection.truncate_wal();
    other.write_and_commit("n", 2);
    EXPECT_EQ(mine.token("n"), 2U);
}

TEST_F(embedded_row_cache, more_names_than_it_keeps_and_long_rows_are_right) {
    ASSERT_TRUE(mine.rows.begin_write());
    for (std::uint64_t at = 1; at <= 600; ++at) { mine.write("n" + std::to_string(at), at); }
    row long_row;
    long_row.state.high_water = 5;
    long_row.state.holds.resize(50);
    mine.rows.put(long_row, "long");
    mine.rows.commit();
    for (std::uint64_t at = 1; at <= 600; ++at) {
        ASSERT_EQ(mine.token("n" + std::to_string(at)), at);
    }
    mine.write_and_commit("long", 6);
    EXPECT_EQ(mine.token("long"), 6U);
}

} // namespace
} // namespace holdfast::engine::embedded
