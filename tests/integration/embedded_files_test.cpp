// Which files are accepted and which are refused, and the error messages.

#include "embedded_support.hpp"
#include "holdfast/engine/embedded/failure.hpp"
#include "holdfast/engine/embedded/location.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::test {
namespace {

using engine::op_status;
namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

std::string read_all(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_all(const std::string& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
}

void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(raw);
    sqlite3_close(raw);
}

mode_t mode_of(const std::string& path) {
    struct stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 07777U;
}

/// Refused with this code and a text that has all of these words, and the file as it was.
void expect_refused(const std::string& path, errc code, const std::vector<std::string>& words) {
    const std::string before = fs::is_regular_file(path) ? read_all(path) : "";
    embedded_client me{path};
    const auto answer = me.acquire("n", 1);
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, code) << answer.error.message() << "; " << answer.detail;
    for (const auto& word : words) {
        EXPECT_NE(answer.detail.find(word), std::string::npos) << word << " in: " << answer.detail;
    }
    if (fs::is_regular_file(path)) { EXPECT_EQ(read_all(path), before); }
    EXPECT_FALSE(fs::exists(path + "-live"));
    EXPECT_FALSE(fs::exists(path + "-inbox"));
    EXPECT_FALSE(fs::exists(path + "-wal"));
}

TEST(embedded_files, refuses_a_text_file) {
    const scratch_folder folder;
    write_all(folder / "notes.txt", "Dear diary, today I locked nothing.\n");
    expect_refused(folder / "notes.txt", errc::store_foreign, {folder / "notes.txt", "embedded:/"});
    write_all(folder / "long.txt", std::string(100'000, 'x'));
    expect_refused(folder / "long.txt", errc::store_foreign, {"long.txt"});
}

TEST(embedded_files, refuses_the_database_of_another_program) {
    const scratch_folder folder;
    run_sql(folder / "app.db", "CREATE TABLE orders(id); INSERT INTO orders VALUES(1)");
    expect_refused(folder / "app.db", errc::store_foreign, {"another program"});
    run_sql(folder / "wal.db", "PRAGMA journal_mode = WAL; CREATE TABLE orders(id)");
    expect_refused(folder / "wal.db", errc::store_foreign, {"another program"});
}

TEST(embedded_files, refuses_a_file_of_a_newer_holdfast) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    run_sql(path, "PRAGMA application_id = 1214673780; PRAGMA user_version = 99;"
                  "CREATE TABLE future(id)");
    expect_refused(path, errc::store_foreign, {"newer Holdfast", "99"});
}

TEST(embedded_files, refuses_folders_devices_and_hard_links) {
    const scratch_folder folder;
    fs::create_directory(folder / "folder");
    expect_refused(folder / "folder", errc::store_unsuitable, {"folder"});
    expect_refused("/dev/null", errc::store_unsuitable, {"regular file"});
    write_all(folder / "one.db", "");
    fs::create_hard_link(folder / "one.db", folder / "two.db");
    expect_refused(folder / "two.db", errc::store_unsuitable, {"second name"});
}

TEST(embedded_files, refuses_missing_folders_and_dangling_links) {
    const scratch_folder folder;
    expect_refused(folder / "missing/locks.db", errc::store_forbidden,
                   {"folder", "missing", "does not exist"});
    write_all(folder / "file", "");
    expect_refused(folder / "file/locks.db", errc::store_forbidden, {"file/locks.db"});
    fs::create_symlink(folder / "nowhere", folder / "link.db");
    expect_refused(folder / "link.db", errc::store_forbidden, {"symbolic link"});
}

TEST(embedded_files, initializes_an_empty_file) {
    const scratch_folder folder;
    write_all(folder / "locks.db", "");
    embedded_client me{folder / "locks.db"};
    EXPECT_EQ(me.acquire("n", 1).status, op_status::granted);
}

TEST(embedded_files, a_symbolic_link_leads_to_the_same_locks) {
    const scratch_folder folder;
    fs::create_directory(folder / "there");
    embedded_client holder{folder / "there/locks.db"};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    fs::create_symlink(folder / "there/locks.db", folder / "link.db");
    fs::create_directory_symlink(folder / "there", folder / "here");
    for (const auto& path : {folder / "link.db", folder / "here/locks.db"}) {
        embedded_client two{path};
        const auto answer = two.acquire("n", 1);
        EXPECT_EQ(answer.status, op_status::busy) << answer.detail;
    }
}

TEST(embedded_files, a_file_that_could_not_be_opened_is_tried_again) {
    const scratch_folder folder;
    write_all(folder / "locks.db", "not yet");
    embedded_client me{folder / "locks.db"};
    ASSERT_EQ(me.acquire("n", 1).status, op_status::failed);
    fs::remove(folder / "locks.db");
    EXPECT_EQ(me.acquire("n", 2).status, op_status::granted);
}

TEST(embedded_files, a_damaged_file_is_refused_and_not_changed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    {
        embedded_client me{path};
        for (std::uint64_t number = 1; number <= 50; ++number) {
            ASSERT_EQ(me.acquire("name-" + std::to_string(number), number).status,
                      op_status::granted);
        }
    }
    run_sql(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    std::string text = read_all(path);
    ASSERT_GT(text.size(), 8192U);
    std::fill(text.begin() + 1024, text.end(), '\x5a');
    write_all(path, text);
    embedded_client me{path};
    const auto answer = me.acquire("name-7", 100);
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::store_damaged) << answer.error.message() << "; " << answer.detail;
    EXPECT_NE(answer.detail.find(path), std::string::npos);
    EXPECT_EQ(read_all(path).substr(0, text.size()), text);
}

TEST(embedded_files, can_be_opened_during_a_checkpoint_and_after_an_interrupted_one) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    for (std::uint64_t number = 1; number <= 50; ++number) {
        ASSERT_EQ(me.acquire("name-" + std::to_string(number), number).status, op_status::granted);
    }
    // A checkpoint writes the first page first; it says how long the file is going to be.
    std::string text = read_all(path);
    text.at(30) = '\x01'; // bytes 28 to 31: the number of pages
    write_all(path, text);
    embedded_client newcomer{path};
    EXPECT_EQ(newcomer.acquire("name-7", 1).status, op_status::busy);
    const auto answer = newcomer.acquire("new", 2);
    EXPECT_EQ(answer.status, op_status::granted) << answer.detail;
}

TEST(embedded_files, a_damaged_record_affects_only_its_own_name) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(me.acquire("bad", 1).status, op_status::granted);
    ASSERT_EQ(me.acquire("good", 2).status, op_status::granted);
    run_sql(path, "UPDATE names SET body = x'0102' WHERE name = CAST('bad' AS BLOB)");
    embedded_client other{path};
    EXPECT_EQ(other.acquire("bad", 1).error, errc::store_damaged);
    EXPECT_EQ(me.release("bad", 1).error, errc::store_damaged);
    EXPECT_EQ(other.acquire("good", 2).status, op_status::busy);
    EXPECT_EQ(me.release("good", 2).status, op_status::released);
}

TEST(embedded_files, reports_a_removed_file_and_then_creates_a_new_one) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
    for (const char* end : {"", "-wal", "-shm", "-live"}) { fs::remove(path + end); }
    const auto answer = me.acquire("m", 2);
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::store_replaced) << answer.detail;
    const auto again = me.acquire("m", 3);
    EXPECT_EQ(again.status, op_status::granted) << again.detail;
    embedded_client other{path};
    EXPECT_EQ(other.acquire("m", 1).status, op_status::busy);
}

TEST(embedded_files, notices_that_only_one_of_its_files_was_removed) {
    for (const char* part : {"-wal", "-shm"}) {
        const scratch_folder folder;
        const std::string path = folder / "locks.db";
        embedded_client me{path};
        ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
        fs::remove(path + part);
        const auto answer = me.acquire("m", 2);
        EXPECT_EQ(answer.error, errc::store_replaced);
        EXPECT_NE(answer.detail.find(part), std::string::npos) << answer.detail;
    }
}

TEST(embedded_files, no_new_file_is_created_while_others_use_a_removed_one) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client newcomer{path};
    {
        embedded_client me{path};
        ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
        fs::remove(path);
        const auto answer = newcomer.acquire("n", 1);
        EXPECT_EQ(answer.error, errc::store_replaced) << answer.detail;
        EXPECT_NE(answer.detail.find("end them"), std::string::npos) << answer.detail;
        EXPECT_FALSE(fs::exists(path));
    }
    const auto answer = newcomer.acquire("n", 2);
    EXPECT_EQ(answer.status, op_status::granted) << answer.detail;
}

TEST(embedded_files, a_client_that_notices_the_removal_allows_a_new_file) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    embedded_client newcomer{path};
    ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
    fs::remove(path);
    EXPECT_EQ(me.acquire("m", 2).error, errc::store_replaced);
    EXPECT_EQ(newcomer.acquire("n", 1).status, op_status::granted);
    EXPECT_EQ(me.acquire("n", 3).status, op_status::busy);
}

TEST(embedded_files, without_the_live_file_new_clients_are_refused) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client holder{path};
    embedded_client two{path};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    ASSERT_EQ(two.acquire("n", 1).status, op_status::busy);
    fs::remove(path + "-live");
    embedded_client newcomer{path};
    const auto answer = newcomer.acquire("n", 1);
    EXPECT_EQ(answer.error, errc::store_replaced);
    EXPECT_NE(answer.detail.find("-live"), std::string::npos) << answer.detail;
    // Those who have it open still know of each other.
    EXPECT_EQ(two.acquire("n", 2).status, op_status::busy);
    EXPECT_EQ(holder.release("n", 1).status, op_status::released);
    EXPECT_EQ(two.acquire("n", 3).status, op_status::granted);
}

TEST(embedded_files, a_reboot_ends_all_holds_but_no_token_comes_twice) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    engine::client_identity before = engine::this_process();
    before.boot = "boot-1";
    std::uint64_t token = 0;
    {
        embedded_client me{path, before};
        engine::acquire_op operation = me.acquire_request("n", 1);
        operation.min_hold = 1h;
        const auto answer = me.ask(operation);
        ASSERT_EQ(answer.status, op_status::granted);
        token = answer.token;
        ASSERT_EQ(me.acquire("n", 2, engine::queueing::grant).status, op_status::queued);
    }
    fs::remove(path + "-live"); // in a place that does not survive a boot, say
    engine::client_identity after = engine::this_process();
    after.boot = "boot-2";
    embedded_client me{path, after};
    EXPECT_TRUE(me.inspect("n").holders.empty());
    EXPECT_TRUE(me.inspect("n").waiters.empty());
    EXPECT_EQ(me.inspect("n").last_token, token);
    const auto answer = me.acquire("n", 1);
    ASSERT_EQ(answer.status, op_status::granted) << answer.detail;
    EXPECT_GT(answer.token, token);
}

TEST(embedded_files, has_the_mode_of_the_url_whatever_the_umask) {
    for (const char* mode : {"", "0600", "0660"}) {
        for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0777}}) {
            const scratch_folder folder;
            const std::string path = folder / "locks.db";
            child_process made{[&](const child_process::parent_channel& to) {
                ::umask(mask);
                embedded_client me{path, engine::this_process(), mode};
                const auto answer = me.acquire("n", 1);
                to.send(answer.status == op_status::granted ? "granted" : answer.detail);
                to.wait_for_parent();
            }};
            ASSERT_EQ(made.receive(), "granted");
            const mode_t wanted = std::string{mode} == "0660" ? 0660 : 0600;
            for (const char* end : {"", "-wal", "-shm", "-live"}) {
                EXPECT_EQ(mode_of(path + end), wanted) << end << " umask " << mask;
            }
            EXPECT_EQ(mode_of(path + "-inbox"), wanted | (wanted & 0440U) >> 2U);
            for (const auto& fifo : fs::directory_iterator{path + "-inbox"}) {
                EXPECT_EQ(mode_of(fifo.path()), wanted);
            }
        }
    }
}

TEST(embedded_files, is_shared_by_the_members_of_its_group) {
    if (::geteuid() != 0) { GTEST_SKIP() << "only root can become two other users"; }
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    constexpr gid_t group = 54321;
    ASSERT_EQ(::chown(folder.path().c_str(), 0, group), 0);
    ASSERT_EQ(::chmod(folder.path().c_str(), 0770), 0);
    const auto as_user = [&](uid_t user) {
        return std::make_unique<child_process>(
            [&path, user](const child_process::parent_channel& to) {
                const gid_t groups = group;
                if (::setgroups(1, &groups) != 0 || ::setresgid(user, user, user) != 0 ||
                    ::setegid(group) != 0 || ::setresuid(user, user, user) != 0) {
                    to.send("cannot become another user");
                    return;
                }
                embedded_client me{path, engine::this_process(), "0660"};
                const auto answer = me.acquire("n", 1, engine::queueing::grant);
                to.send(answer.status == op_status::granted  ? "granted"
                        : answer.status == op_status::queued ? "queued"
                                                             : answer.detail);
                to.wait_for_parent();
                if (answer.status == op_status::granted) { me.release("n", 1); }
                to.send(answer.status == op_status::granted || me.wait_for_notice() ? "done"
                                                                                    : "not woken");
                to.wait_for_parent();
            });
    };
    const auto holder = as_user(60001);
    ASSERT_EQ(holder->receive(), "granted");
    const auto two = as_user(60002);
    ASSERT_EQ(two->receive(), "queued");
    two->resume();
    holder->resume();
    EXPECT_EQ(holder->receive(), "done");
    EXPECT_EQ(two->receive(), "done");
}

/// Runs as a user who is not root: permissions mean nothing to root.
void as_nobody(const std::function<void(const child_process::parent_channel&)>& body) {
    child_process other{[&](const child_process::parent_channel& to) {
        if (::geteuid() == 0 &&
            (::setgroups(0, nullptr) != 0 || ::setresgid(nobody, nobody, nobody) != 0 ||
             ::setresuid(nobody, nobody, nobody) != 0)) {
            to.send("cannot become nobody");
        }
        body(to);
    }};
    EXPECT_EQ(other.receive(), "ok");
}

TEST(embedded_files, refuses_a_file_without_read_or_write_permission) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    {
        embedded_client me{path};
        ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
    }
    const auto refused = [&](const child_process::parent_channel& to) {
        embedded_client me{path};
        const auto answer = me.acquire("n", 1);
        const bool clear = answer.error == errc::store_forbidden &&
                           answer.detail.find(folder.path()) != std::string::npos &&
                           answer.detail.find("embedded:/") != std::string::npos;
        to.send(clear ? "ok" : answer.error.message() + ": " + answer.detail);
    };
    ::chmod(folder.path().c_str(), 0755);
    if (::geteuid() == 0) { as_nobody(refused); } // another user's, mode 0600
    ::chmod(path.c_str(), 0444);
    as_nobody(refused);
    ::chmod(path.c_str(), 0666);
    ::chmod(folder.path().c_str(), 0555);
    as_nobody(refused); // no -wal can be made
    ::chmod(folder.path().c_str(), 0755);
}

TEST(embedded_files, the_default_path_is_in_the_home_of_the_passwd_entry) {
    const std::string home = engine::embedded::user_home();
    child_process elsewhere{[&](const child_process::parent_channel& to) {
        ::setenv("HOME", "/elsewhere", 1);
        ::setenv("XDG_STATE_HOME", "/elsewhere", 1);
        ::setenv("XDG_RUNTIME_DIR", "/elsewhere", 1);
        to.send(engine::embedded::user_home());
        ::clearenv();
        to.send(engine::embedded::user_home());
    }};
    EXPECT_EQ(elsewhere.receive(), home);
    EXPECT_EQ(elsewhere.receive(), home);

    const scratch_folder folder;
    const std::string path = engine::embedded::default_path(folder.path());
    EXPECT_EQ(path, folder / ".local/state/holdfast/locks.db");
    for (const char* made : {".local", ".local/state", ".local/state/holdfast"}) {
        EXPECT_EQ(mode_of(folder / made), 0700U);
    }
    EXPECT_EQ(engine::embedded::default_path(folder.path()), path);
}

TEST(embedded_files, a_user_without_a_home_is_told_to_name_a_file) {
    if (::geteuid() != 0) { GTEST_SKIP() << "only root can become a user without a home"; }
    as_nobody([](const child_process::parent_channel& to) {
        embedded_client me{""};
        const auto answer = me.acquire("n", 1);
        const bool clear = answer.error == errc::store_forbidden &&
                           answer.detail.find("embedded:/path") != std::string::npos;
        to.send(clear ? "ok" : answer.error.message() + ": " + answer.detail);
    });
}

} // namespace
} // namespace holdfast::test
