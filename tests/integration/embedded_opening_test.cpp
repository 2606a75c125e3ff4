// Files that others create, remove or truncate while a client opens or uses them.

#include "embedded_support.hpp"
#include "holdfast/engine/embedded/companion_files.hpp"
#include "holdfast/engine/embedded/live_file.hpp"
#include "holdfast/engine/embedded/missing_files.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace holdfast::test {
namespace {

using engine::op_status;
namespace embedded = engine::embedded;
namespace fs = std::filesystem;

/// "granted", or the error and the sentence about it.
std::string result_of(const engine::answer& reply) {
    if (reply.status == op_status::granted) { return "granted"; }
    return reply.status == op_status::busy ? "busy" : reply.error.message() + ": " + reply.detail;
}

TEST(embedded_opening, a_file_that_another_process_creates_meanwhile_does_not_count_as_removed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client quicker{path};
    embedded::file_checks checks = embedded::default_file_checks();
    // Between the first look for the database and the question whether it is in use.
    checks.in_use = [&](const std::string& live_path) {
        EXPECT_FALSE(fs::exists(path));
        EXPECT_EQ(result_of(quicker.acquire("n", 1)), "granted");
        return embedded::live_file::in_use(live_path);
    };
    EXPECT_FALSE(embedded::must_create(path, checks));
}

TEST(embedded_opening, a_wal_that_another_process_creates_meanwhile_does_not_count_as_removed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client quicker{path};
    embedded::file_checks checks = embedded::default_file_checks();
    checks.in_use = [&](const std::string& live_path) {
        EXPECT_EQ(result_of(quicker.acquire("n", 1)), "granted");
        return embedded::live_file::in_use(live_path);
    };
    EXPECT_NO_THROW(embedded::check_complete(path, checks));
}

// By hand: HOLDFAST_ROUNDS=200, and TMPDIR on a tmpfs.
TEST(embedded_opening, many_processes_may_use_a_new_file_at_the_same_moment) {
    const char* const wanted = std::getenv("HOLDFAST_ROUNDS");
    const int rounds = wanted == nullptr ? 5 : std::stoi(wanted);
    for (int round = 0; round < rounds; ++round) {
        const scratch_folder folder;
        const std::string path = folder / "locks.db";
        std::vector<std::unique_ptr<child_process>> all;
        for (int number = 0; number < 8; ++number) {
            all.push_back(
                std::make_unique<child_process>([&](const child_process::parent_channel& to) {
                    to.send("ready");
                    to.wait_for_parent();
                    embedded_client me{path};
                    to.send(result_of(me.acquire(std::to_string(::getpid()), 1)));
                    to.send(result_of(me.acquire("shared by all", 2)));
                    to.wait_for_parent();
                }));
        }
        for (auto& each : all) { ASSERT_EQ(each->receive(), "ready"); }
        for (auto& each : all) { each->resume(); }
        int granted = 0;
        for (auto& each : all) {
            EXPECT_EQ(each->receive(), "granted") << "round " << round;
            const auto shared = each->receive();
            EXPECT_TRUE(shared == "granted" || shared == "busy") << shared;
            granted += shared == "granted" ? 1 : 0;
        }
        EXPECT_EQ(granted, 1);
        for (auto& each : all) { each->resume(); }
    }
}

TEST(embedded_opening, says_that_it_was_replaced_when_only_its_wal_or_shm_was_removed) {
    for (const char* part : {"-wal", "-shm"}) {
        const scratch_folder folder;
        const std::string path = folder / "locks.db";
        embedded_client me{path};
        embedded_client other{path};
        ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
        ASSERT_EQ(result_of(other.acquire("o", 1)), "granted");
        fs::remove(path + part);
        const auto replaced = [&](const engine::answer& reply) {
            EXPECT_EQ(reply.error, errc::store_replaced) << result_of(reply);
            EXPECT_NE(reply.detail.find(path + part), std::string::npos) << reply.detail;
        };
        embedded_client newcomer{path};
        replaced(newcomer.acquire("n", 1));
        replaced(me.acquire("m", 2));
        replaced(me.acquire("m", 3)); // `other` still uses it
        replaced(newcomer.acquire("n", 2));
        replaced(other.acquire("m", 2));
        // All have let go of what was removed.
        EXPECT_EQ(result_of(me.acquire("m", 4)), "granted") << part;
        EXPECT_EQ(result_of(newcomer.acquire("m", 3)), "busy") << part;
        EXPECT_EQ(result_of(other.acquire("m", 3)), "busy") << part;
    }
}

TEST(embedded_opening, another_process_gets_the_same_error) {
    for (const char* part : {"-wal", "-shm"}) {
        const scratch_folder folder;
        const std::string path = folder / "locks.db";
        embedded_client me{path};
        ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
        fs::remove(path + part);
        child_process newcomer{[&](const child_process::parent_channel& to) {
            embedded_client another{path};
            const auto reply = another.acquire("n", 1);
            to.send(reply.error == errc::store_replaced ? "replaced" : result_of(reply));
        }};
        EXPECT_EQ(newcomer.receive(), "replaced");
    }
}

TEST(embedded_opening, without_its_shm_nothing_is_lost) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    fs::remove(path + "-shm");
    EXPECT_EQ(me.acquire("m", 2).error, errc::store_replaced);
    EXPECT_EQ(me.beat("n", 1, false).status, op_status::renewed);
    embedded_client newcomer{path};
    EXPECT_EQ(result_of(newcomer.acquire("n", 1)), "busy");
}

TEST(embedded_opening, a_database_that_is_moved_away_and_back_keeps_its_locks) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    embedded_client other{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    fs::rename(path, path + ".away");
    EXPECT_EQ(me.acquire("m", 2).error, errc::store_replaced);
    fs::rename(path + ".away", path);
    EXPECT_EQ(result_of(other.acquire("n", 1)), "busy"); // though `me` has let go of the file
    EXPECT_EQ(me.beat("n", 1, false).status, op_status::renewed);
}

TEST(embedded_opening, says_that_it_was_replaced_when_several_operations_are_pending) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    sqlite3* busy = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &busy), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(busy, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    const std::vector ids{me.submit(me.acquire_request("m", 2)),
                          me.submit(me.acquire_request("o", 3))};
    for (const char* end : {"", "-wal", "-shm", "-live"}) { fs::remove(path + end); }
    sqlite3_close(busy);
    std::vector<engine::answer> replies;
    for (const auto id : ids) {
        std::optional<engine::answer> reply;
        ASSERT_TRUE(me.drive_until([&] { return (reply = me.answered(id)).has_value(); }));
        replies.push_back(*reply);
    }
    EXPECT_EQ(replies.at(0).error, errc::store_replaced) << result_of(replies.at(0));
    EXPECT_EQ(result_of(replies.at(1)), "granted");
}

TEST(embedded_opening, P1b_a_client_of_a_renamed_folder_counts_as_alive) {
    const scratch_folder folder;
    fs::create_directory(folder / "old");
    const std::string path = folder / "old/locks.db";
    embedded_client me{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    fs::rename(folder / "old", folder / "new");
    fs::create_directory(folder / "old");
    EXPECT_EQ(me.acquire("m", 2).error, errc::store_replaced);
    EXPECT_EQ(result_of(me.acquire("m", 3)), "granted"); // in a new file
    embedded_client other{folder / "new/locks.db"};
    EXPECT_EQ(result_of(other.acquire("n", 1)), "busy");
}

TEST(embedded_opening, a_database_that_is_truncated_while_in_use_is_not_initialized_again) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    fs::resize_file(path, 0);
    fs::resize_file(path + "-wal", 0);
    child_process newcomer{[&](const child_process::parent_channel& to) {
        embedded_client another{path};
        to.send(another.acquire("n", 1).status == op_status::failed ? "refused" : "given away");
    }};
    EXPECT_EQ(newcomer.receive(), "refused");
}

TEST(embedded_opening, a_live_file_that_cannot_be_checked_counts_as_in_use) {
    if (::geteuid() != 0) { GTEST_SKIP() << "only root can become another user"; }
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(result_of(me.acquire("n", 1)), "granted");
    fs::remove(path);
    ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
    child_process another{[&](const child_process::parent_channel& to) {
        constexpr uid_t nobody = 65534;
        if (::setresuid(nobody, nobody, nobody) != 0) { to.send("cannot become nobody"); }
        embedded_client newcomer{
            path}; // may not open root's -live, but might make files of its own
        const auto reply = newcomer.acquire("n", 1);
        to.send(reply.error == errc::store_forbidden ? "forbidden" : result_of(reply));
    }};
    EXPECT_EQ(another.receive(), "forbidden");
    EXPECT_FALSE(fs::exists(path));
}

} // namespace
} // namespace holdfast::test
