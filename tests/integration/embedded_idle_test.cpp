// The deletion of idle rows, the order of tokens after it, and the upgrade of the format.

#include "embedded_support.hpp"
#include "holdfast/engine/embedded/codec.hpp"
#include "holdfast/engine/embedded/live_file.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;
namespace embedded = engine::embedded;

/// Clocks that can be set.
class shifted_time final : public base::time_source {
public:
    [[nodiscard]] base::instant now() const noexcept override {
        return base::boot_clock::now() + shift;
    }
    [[nodiscard]] std::int64_t wall_us() const noexcept override {
        const auto more = std::chrono::duration_cast<std::chrono::microseconds>(shift + wall_shift);
        return base::system_time().wall_us() + more.count();
    }
    base::duration shift{0};
    base::duration wall_shift{0}; ///< of the wall clock alone
};

class embedded_idle : public testing::Test {
protected:
    [[nodiscard]] engine::client_identity as_client() const {
        engine::client_identity out = engine::this_process();
        out.time = &time;
        return out;
    }
    static std::int64_t known(embedded_client& client) {
        const auto text = client.ask(engine::diagnose_op{}).report->text;
        return std::stoll(text.substr(text.rfind(", ") + 2));
    }
    /// All that the client wants to do by itself, as its keeper would.
    void let_it_sweep(embedded_client& client) const {
        for (int times = 0; times < 10'000; ++times) {
            const base::instant next = client.raw().drive({}, time.now());
            if (next > time.now()) { return; }
        }
        FAIL() << "it never comes to an end";
    }
    void run_sql(const std::string& sql) const {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(raw);
        sqlite3_close(raw);
    }
    /// The version of the format as the database itself has it, big-endian.
    [[nodiscard]] std::string stored_version() const {
        std::ifstream file{path, std::ios::binary};
        std::string header(100, '\0');
        file.read(header.data(), static_cast<std::streamsize>(header.size()));
        return header.substr(60, 4);
    }
    static void lock_and_release(embedded_client& client, const std::string& name,
                                 std::uint64_t number) {
        ASSERT_EQ(client.acquire(name, number).status, op_status::granted);
        ASSERT_EQ(client.release(name, number).status, op_status::released);
    }

    shifted_time time;
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
};

// By hand: HOLDFAST_NAMES=100000.
TEST_F(embedded_idle, P8_a_released_lock_leaves_nothing_after_a_minute_or_two) {
    const char* const wanted = std::getenv("HOLDFAST_NAMES");
    const std::uint64_t count = wanted == nullptr ? 3000 : std::stoull(wanted);
    embedded_client me{path, as_client()};
    ASSERT_EQ(me.acquire("held", 1, queueing::no, 1h).status, op_status::granted);
    for (std::uint64_t number = 2; number <= count; ++number) {
        lock_and_release(me, "order:" + std::to_string(number), number);
    }
    time.shift += 59s;
    let_it_sweep(me);
    EXPECT_EQ(known(me), static_cast<std::int64_t>(count));
    EXPECT_EQ(me.release("order:2", 2).status, op_status::released); // resent
    time.shift += 61s;
    let_it_sweep(me);
    EXPECT_EQ(known(me), 1);
    EXPECT_EQ(me.beat("held", 1, false).status, op_status::renewed);
    EXPECT_EQ(me.release("order:2", 2).status, op_status::not_held);
}

TEST_F(embedded_idle, P9_one_transaction_deletes_a_bounded_number_of_rows) {
    embedded_client me{path, as_client()};
    for (std::uint64_t number = 1; number <= 300; ++number) {
        lock_and_release(me, std::to_string(number), number);
    }
    time.shift += 2min;
    (void)me.raw().drive({}, time.now());
    EXPECT_GE(known(me), 100);
    EXPECT_LT(known(me), 300);
}

TEST_F(embedded_idle, P8_a_row_that_another_client_created_is_deleted_too) {
    embedded_client me{path, as_client()};
    {
        embedded_client gone{path, as_client()};
        lock_and_release(gone, "n", 1);
    }
    lock_and_release(me, "n", 1);
    time.shift += 2min;
    let_it_sweep(me);
    EXPECT_EQ(known(me), 0);
}

TEST_F(embedded_idle, P8_a_name_that_is_used_again_and_again_stays) {
    embedded_client me{path, as_client()};
    for (std::uint64_t number = 1; number <= 20; ++number) {
        lock_and_release(me, "n", number);
        time.shift += 50s;
        let_it_sweep(me);
        EXPECT_EQ(known(me), 1);
    }
    time.shift += 50s;
    let_it_sweep(me);
    EXPECT_EQ(known(me), 0);
}

TEST_F(embedded_idle, P8_the_row_of_a_dead_holder_is_deleted_too) {
    embedded_client me{path, as_client()};
    {
        embedded_client holder{path, as_client()};
        ASSERT_EQ(holder.acquire("n", 1, queueing::no, 24h).status, op_status::granted);
    }
    lock_and_release(me, "m", 1); // and finds that the holder of "n" is dead
    time.shift += 2min;
    lock_and_release(me, "m", 2);
    let_it_sweep(me);
    EXPECT_EQ(known(me), 1);
}

// Each command of a script is a client of its own.
TEST_F(embedded_idle, P8_rows_of_ended_clients_are_deleted_by_later_ones) {
    {
        embedded_client gone{path, as_client()};
        for (std::uint64_t number = 1; number <= 1000; ++number) {
            lock_and_release(gone, "order:" + std::to_string(number), number);
        }
    }
    time.shift += 2min;
    embedded_client me{path, as_client()};
    lock_and_release(me, "n", 1);
    let_it_sweep(me);
    EXPECT_EQ(known(me), 1);
}

TEST_F(embedded_idle, records_that_are_damaged_do_not_keep_it_busy) {
    embedded_client me{path, as_client()};
    for (std::uint64_t number = 1; number <= 8; ++number) {
        lock_and_release(me, std::to_string(number), number);
    }
    run_sql("UPDATE names SET body = x'00' WHERE id < 6");
    time.shift += 2min;
    lock_and_release(me, "n", 9);
    let_it_sweep(me);
    EXPECT_EQ(known(me), 6); // the damaged ones and the last
}

TEST_F(embedded_idle, sweeps_without_operations) {
    embedded_client me{path, as_client()};
    time.shift = -69s - 800ms; // so that the real time at which to look comes soon
    lock_and_release(me, "n", 1);
    time.shift = 0s;
    for (int times = 0; times < 100 && known(me) > 0; ++times) {
        std::vector<pollfd> watched;
        me.raw().pollables(watched);
        ASSERT_GT(::poll(watched.data(), watched.size(), 10'000), 0) << "nothing wakes it";
        (void)me.raw().drive(watched, time.now());
    }
    EXPECT_EQ(known(me), 0);
    std::vector<pollfd> watched;
    me.raw().pollables(watched);
    EXPECT_EQ(::poll(watched.data(), watched.size(), 0), 0); // it is quiet again
}

// Its row had no token, and was not taken for new.
TEST_F(embedded_idle, P3_tokens_of_a_name_whose_limit_was_set_rise_too) {
    embedded_client me{path, as_client()};
    const auto first = me.acquire("n", 1);
    ASSERT_EQ(me.release("n", 1).status, op_status::released);
    time.shift += 2min;
    let_it_sweep(me);
    time.wall_shift -= 1h;
    engine::resize_op resize;
    resize.ticket = me.ticket_of("n", 2);
    resize.limit = 3;
    resize.not_after = base::never;
    ASSERT_EQ(me.ask(resize).status, op_status::reported);
    EXPECT_GT(me.acquire("n", 3).token, first.token);
}

TEST_F(embedded_idle, P3_tokens_rise_across_steps_of_the_clock_and_reopening) {
    std::uint64_t last = 0;
    std::uint64_t number = 0;
    for (const base::duration step : {0h, -1h, 2h, -2h, 24h, -48h}) {
        time.wall_shift += step;
        for (const bool forgotten : {false, true, true}) {
            embedded_client me{path, as_client()};
            const auto reply = me.acquire("n", ++number);
            ASSERT_EQ(reply.status, op_status::granted) << reply.detail;
            EXPECT_GT(reply.token, last) << "step " << step.count();
            last = reply.token;
            ASSERT_EQ(me.release("n", number).status, op_status::released);
            if (!forgotten) { continue; }
            time.shift += 49h; // as far as it was set back, so that it is past the last token
            let_it_sweep(me);
            EXPECT_EQ(known(me), 0);
        }
    }
}

TEST_F(embedded_idle, P3_tokens_of_a_deleted_name_rise_when_another_process_uses_it) {
    std::uint64_t token = 0;
    {
        embedded_client me{path, as_client()};
        token = me.acquire("n", 1).token;
        ASSERT_EQ(me.release("n", 1).status, op_status::released);
        time.shift += 2min;
        let_it_sweep(me);
        ASSERT_EQ(known(me), 0);
    }
    child_process other{[&](const child_process::parent_channel& to) {
        time.wall_shift = -1h;
        embedded_client me{path, as_client()};
        to.send(std::to_string(me.acquire("n", 1).token));
    }};
    EXPECT_EQ(other.receive(), std::to_string(token + 1));
}

/// A file as the first version has made it, with a name for each of these records.
class embedded_upgrade : public embedded_idle {
protected:
    void SetUp() override {
        run_sql("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL;"
                "CREATE TABLE about(one INTEGER PRIMARY KEY CHECK(one = 1), boot BLOB NOT NULL,"
                " boots INTEGER NOT NULL, live BLOB NOT NULL);"
                "CREATE TABLE locks(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE,"
                " body BLOB NOT NULL);"
                "CREATE TABLE waiters(lock INTEGER NOT NULL, seq INTEGER NOT NULL,"
                " owner BLOB NOT NULL, alive_until INTEGER NOT NULL, body BLOB NOT NULL,"
                " PRIMARY KEY(lock, seq)) WITHOUT ROWID;"
                "CREATE UNIQUE INDEX waiters_by_owner ON waiters(lock, owner);"
                "PRAGMA application_id = 1214673780; PRAGMA user_version = 1");
        struct stat file {};
        ASSERT_EQ(::stat(path.c_str(), &file), 0);
        live = embedded::live_file::make(path + "-live", file);
        run_sql("INSERT INTO about VALUES(1, CAST('" + as_client().boot + "' AS BLOB), 1, x'" +
                hex(std::span{live}) + "')");
        engine::admission::record idle;
        idle.high_water = static_cast<std::uint64_t>(time.wall_us()) + 3'600'000'000;
        insert("idle", idle);
        engine::admission::record held;
        held.high_water = 7;
        auto& hold = held.holds.emplace_back();
        hold.owner = {base::client_id::make(), 1};
        hold.token = 7;
        hold.detached = true;
        hold.deadline = time.now() + 1h;
        insert("held", held);
    }
    void insert(const std::string& name, const engine::admission::record& record) const {
        embedded::buffer body;
        embedded::encode(record, 1, body);
        body.front() = std::byte{1};
        body.pop_back(); // it ended with the holds
        run_sql("INSERT INTO locks(name, body) VALUES(CAST('" + name + "' AS BLOB), x'" +
                hex(std::span{body}) + "')");
    }
    static std::string hex(std::span<const std::byte> from) {
        std::string out;
        for (const std::byte each : from) {
            constexpr std::string_view digits = "0123456789abcdef";
            out += digits[std::to_integer<std::size_t>(each) >> 4U];
            out += digits[std::to_integer<std::size_t>(each) & 0x0fU];
        }
        return out;
    }

    embedded::live_id live{};
};

TEST_F(embedded_upgrade, P3_holds_stay_and_tokens_rise) {
    const auto before = static_cast<std::uint64_t>(time.wall_us()) + 3'590'000'000;
    embedded_client me{path, as_client()};
    const auto reply = me.acquire("idle", 1);
    ASSERT_EQ(reply.status, op_status::granted) << reply.detail;
    EXPECT_GT(reply.token, before);
    EXPECT_EQ(me.acquire("held", 2).status, op_status::busy);
    EXPECT_EQ(me.inspect("held").holders.at(0).token, 7U);
    embedded_client other{path, as_client()};
    EXPECT_EQ(other.acquire("idle", 1).status, op_status::busy);
}

TEST_F(embedded_upgrade, P1_waits_until_no_client_uses_the_old_format) {
    sqlite3* raw = nullptr; // keeps the -wal
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, "SELECT * FROM about", nullptr, nullptr, nullptr), SQLITE_OK);
    embedded::live_file old;
    old.open(path + "-live", live, base::client_id::make());
    embedded_client me{path, as_client()};
    const auto refused = me.acquire("free", 1);
    EXPECT_EQ(refused.error, errc::unavailable);
    EXPECT_NE(refused.detail.find("older Holdfast"), std::string::npos) << refused.detail;
    EXPECT_NE(refused.detail.find(path), std::string::npos) << refused.detail;
    old.close();
    sqlite3_close(raw);
    const auto reply = me.acquire("free", 2);
    EXPECT_EQ(reply.status, op_status::granted) << reply.detail;
}

TEST_F(embedded_upgrade, P1_refuses_the_old_version_afterwards) {
    // One that had passed the check of the version, and was about to look for a name.
    sqlite3* raw = nullptr;
    sqlite3_stmt* find = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_prepare_v2(raw, "SELECT id, body FROM locks WHERE name = ?1", -1, &find, nullptr),
        SQLITE_OK);
    embedded_client me{path, as_client()};
    ASSERT_EQ(me.acquire("free", 1).status, op_status::granted);
    EXPECT_EQ(sqlite3_step(find), SQLITE_ERROR);
    EXPECT_NE(std::string{sqlite3_errmsg(raw)}.find("no such table"), std::string::npos);
    sqlite3_finalize(find);
    sqlite3_close(raw);
    // One that comes later reads the version in the database itself, big-endian.
    EXPECT_EQ(stored_version(), std::string("\0\0\0\3", 4));
}

TEST_F(embedded_idle, a_file_of_the_second_format_is_upgraded) {
    {
        embedded_client me{path, as_client()};
        lock_and_release(me, "stock", 1);
    }
    run_sql("PRAGMA user_version = 2");
    embedded_client me{path, as_client()};
    EXPECT_EQ(me.acquire("stock", 2).status, op_status::granted);
    EXPECT_EQ(stored_version(), std::string("\0\0\0\3", 4));
}

TEST_F(embedded_upgrade, works_with_many_processes_at_once) {
    std::vector<std::unique_ptr<child_process>> all;
    for (int number = 0; number < 6; ++number) {
        all.push_back(std::make_unique<child_process>([&](const child_process::parent_channel& to) {
            to.wait_for_parent();
            embedded_client me{path, as_client()};
            const auto reply = me.acquire("free", 1);
            to.send(reply.status == op_status::granted ? "granted"
                    : reply.status == op_status::busy  ? "busy"
                                                       : reply.detail);
            to.wait_for_parent();
        }));
    }
    for (const auto& each : all) { each->resume(); }
    int granted = 0;
    for (const auto& each : all) {
        const auto heard = each->receive();
        EXPECT_TRUE(heard == "granted" || heard == "busy") << heard;
        granted += heard == "granted" ? 1 : 0;
    }
    EXPECT_EQ(granted, 1);
}

} // namespace
} // namespace holdfast::test
