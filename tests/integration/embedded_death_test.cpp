// Processes that die, are stopped or fork while they use the file.

#include "embedded_support.hpp"
#include "support/timing.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::test {
namespace {

using engine::op_status;
using engine::queueing;

/// Acquires or queues in a process of its own, says so, and then waits for its end.
std::unique_ptr<child_process> in_child(const std::string& path, queueing queue) {
    auto out = std::make_unique<child_process>([=](const child_process::parent_channel& to) {
        embedded_client me{path};
        const auto answer = me.acquire("n", 1, queue);
        to.send(answer.status == op_status::granted  ? "granted"
                : answer.status == op_status::queued ? "queued"
                                                     : "no: " + answer.detail);
        to.wait_for_parent();
    });
    return out;
}

std::string integrity(const std::string& path) {
    sqlite3* raw = nullptr;
    std::string result = "cannot open";
    if (sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
        sqlite3_busy_timeout(raw, 5000);
        sqlite3_stmt* check = nullptr;
        sqlite3_prepare_v2(raw, "PRAGMA integrity_check", -1, &check, nullptr);
        if (sqlite3_step(check) == SQLITE_ROW) {
            result = reinterpret_cast<const char*>(sqlite3_column_text(check, 0));
        }
        sqlite3_finalize(check);
    }
    sqlite3_close(raw);
    return result;
}

TEST(embedded_death, frees_the_lock_of_a_killed_process_at_once) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    const auto holder = in_child(path, queueing::no);
    ASSERT_EQ(holder->receive(), "granted");
    ASSERT_EQ(me.acquire("n", 1).status, op_status::busy);
    holder->end(SIGKILL);
    EXPECT_EQ(me.acquire("n", 2).status, op_status::granted);
}

TEST(embedded_death, a_waiter_is_granted_by_its_next_beat_after_the_holder_was_killed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    const auto holder = in_child(path, queueing::no);
    ASSERT_EQ(holder->receive(), "granted");
    ASSERT_EQ(me.acquire("n", 1, queueing::grant).status, op_status::queued);
    holder->end(SIGKILL);
    EXPECT_EQ(me.beat("n", 1, true).status, op_status::granted);
}

TEST(embedded_death, wakes_the_first_waiter_when_the_holder_is_killed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    const auto holder = in_child(path, queueing::no);
    ASSERT_EQ(holder->receive(), "granted");
    ASSERT_EQ(me.acquire("n", 1, queueing::grant).status, op_status::queued);
    EXPECT_FALSE(me.wait_for_notice(10ms));
    holder->end(SIGKILL);
    const auto heard = me.wait_for_notice(); // without a beat
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->type, engine::notice::kind::inbox_reset);
    EXPECT_EQ(me.beat("n", 1, true).status, op_status::granted);
    EXPECT_FALSE(me.wait_for_notice(10ms)); // once is enough
}

// Pids of another namespace may be anything in ours. A zombie's pidfd is readable for ever.
TEST(embedded_death, a_zombie_with_the_pid_of_the_holder_does_not_keep_a_waiter_busy) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    const child_process zombie{[](const child_process::parent_channel&) {}};
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(zombie.pid()), &ended, WEXITED | WNOWAIT), 0);
    engine::client_identity elsewhere = engine::this_process();
    elsewhere.pid = zombie.pid();
    embedded_client holder{path, elsewhere};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    embedded_client waiter{path};
    ASSERT_EQ(waiter.acquire("n", 1, queueing::grant).status, op_status::queued);
    (void)waiter.wait_for_notice(10ms); // one needless look is all that it may cost
    for (int times = 0; times < 3; ++times) {
        EXPECT_EQ(waiter.beat("n", 1, true).status, op_status::queued);
        std::vector<pollfd> watched;
        waiter.raw().pollables(watched);
        EXPECT_EQ(::poll(watched.data(), watched.size(), 0), 0) << "nothing to do, yet readable";
    }
    EXPECT_TRUE(waiter.notices.empty());
    holder.close(); // a real death is still noticed
    EXPECT_EQ(waiter.beat("n", 1, true).status, op_status::granted);
}

TEST(embedded_death, passes_over_a_waiter_that_was_killed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client holder{path};
    embedded_client last{path};
    ASSERT_EQ(holder.acquire("n", 1).status, op_status::granted);
    const auto waiter = in_child(path, queueing::grant);
    ASSERT_EQ(waiter->receive(), "queued");
    ASSERT_EQ(last.acquire("n", 1, queueing::grant).status, op_status::queued);
    waiter->end(SIGKILL);
    ASSERT_EQ(holder.release("n", 1).status, op_status::handed_off);
    EXPECT_TRUE(last.wait_for_notice());
}

TEST(embedded_death, a_stopped_process_does_not_count_as_dead) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    const auto holder = in_child(path, queueing::no);
    ASSERT_EQ(holder->receive(), "granted");
    holder->kill(SIGSTOP);
    EXPECT_EQ(me.acquire("n", 1).status, op_status::busy);
}

TEST(embedded_death, closing_a_client_frees_its_locks) {
    const scratch_folder folder;
    embedded_client first{folder / "locks.db"};
    embedded_client two{folder / "locks.db"};
    ASSERT_EQ(first.acquire("n", 1).status, op_status::granted);
    first.close();
    EXPECT_EQ(two.acquire("n", 1).status, op_status::granted);
}

// POSIX locks go when any descriptor of their file is closed in the process.
TEST(embedded_death, closing_one_client_keeps_the_locks_of_others_in_the_process) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client first{path};
    embedded_client two{path};
    ASSERT_EQ(first.acquire("one", 1).status, op_status::granted);
    ASSERT_EQ(two.acquire("two", 1).status, op_status::granted);
    two.close();
    { const embedded_client never_used{path}; }
    ::close(::open((path + "-live").c_str(), O_RDONLY | O_CLOEXEC));
    child_process other{[&](const child_process::parent_channel& to) {
        embedded_client me{path};
        to.send(me.acquire("one", 1).status == op_status::busy ? "busy" : "free");
        to.send(me.acquire("two", 2).status == op_status::busy ? "busy" : "free");
    }};
    EXPECT_EQ(other.receive(), "busy");
    EXPECT_EQ(other.receive(), "free");
    EXPECT_EQ(first.beat("one", 1, false).status, op_status::renewed);
}

TEST(embedded_death, leaves_no_inbox_of_a_killed_process_behind) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    const auto holder = in_child(path, queueing::no);
    ASSERT_EQ(holder->receive(), "granted");
    holder->end(SIGKILL);
    embedded_client me{path};
    ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
    int left = 0;
    for (const auto& entry : std::filesystem::directory_iterator{path + "-inbox"}) {
        EXPECT_EQ(entry.path().filename(), me.identity.client.text());
        ++left;
    }
    EXPECT_EQ(left, 1);
    me.close();
    EXPECT_TRUE(std::filesystem::is_empty(path + "-inbox"));
}

TEST(embedded_death, a_kill_in_the_middle_of_a_transaction_damages_nothing) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    std::minstd_rand random{7};
    for (int round = 0; round < 40; ++round) {
        child_process busy{[&](const child_process::parent_channel& to) {
            embedded_client worker{path};
            to.send("ready");
            for (std::uint64_t number = 1;; ++number) {
                const std::string name = "n" + std::to_string(number % 3);
                if (worker.acquire(name, number).status == op_status::granted) {
                    worker.release(name, number);
                }
            }
        }};
        ASSERT_EQ(busy.receive(), "ready");
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000});
        busy.end(SIGKILL);
        for (const char* name : {"n0", "n1", "n2"}) {
            const auto number = static_cast<std::uint64_t>(round) + 1;
            const auto answer = me.acquire(name, number);
            ASSERT_EQ(answer.status, op_status::granted) << answer.detail;
            ASSERT_EQ(me.release(name, number).status, op_status::released);
        }
    }
    EXPECT_EQ(integrity(path), "ok");
}

TEST(embedded_death, a_process_stopped_in_its_transaction_delays_others_until_they_give_up) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client me{path};
    ASSERT_EQ(me.acquire("n", 1).status, op_status::granted);
    child_process stopped{[&](const child_process::parent_channel& to) {
        sqlite3* raw = nullptr;
        sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
        const int begun = sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
        to.send(begun == SQLITE_OK ? "begun" : "not begun");
        to.wait_for_parent();
        sqlite3_close(raw);
    }};
    ASSERT_EQ(stopped.receive(), "begun");
    stopped.kill(SIGSTOP);
    const auto before = base::boot_clock::now();
    const auto answer = me.ask(engine::release_op{me.ticket_of("n", 1)}, 100ms);
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::unavailable);
    EXPECT_NE(answer.detail.find("busy for"), std::string::npos) << answer.detail;
    EXPECT_LT(base::boot_clock::now() - before, 1s);
    // Who only looks is not delayed.
    EXPECT_EQ(me.inspect("n").holders.size(), 1U);

    const auto several = {me.submit(engine::release_op{me.ticket_of("n", 1)}, 10s),
                          me.submit(me.acquire_request("m", 2), 10s)};
    const auto cancelled = me.submit(me.acquire_request("o", 3), 10s);
    me.raw().cancel(cancelled);
    stopped.end(SIGKILL);
    for (const auto id : several) {
        std::optional<engine::answer> late;
        EXPECT_TRUE(me.drive_until([&] { return (late = me.answered(id)).has_value(); }));
        ASSERT_TRUE(late);
        EXPECT_TRUE(late->status == op_status::released || late->status == op_status::granted)
            << late->detail;
    }
    EXPECT_FALSE(me.answered(cancelled));
    EXPECT_TRUE(me.inspect("o").holders.empty());
}

TEST(embedded_fork, a_child_may_have_a_client_of_its_own) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client parent{path};
    ASSERT_EQ(parent.acquire("n", 1).status, op_status::granted);
    child_process forked{[&](const child_process::parent_channel& to) {
        embedded_client me{path};
        to.send(me.acquire("n", 1).status == op_status::busy ? "busy" : "wrong");
        to.send(me.acquire("m", 2).status == op_status::granted ? "granted" : "wrong");
        to.wait_for_parent();
    }};
    EXPECT_EQ(forked.receive(), "busy");
    EXPECT_EQ(forked.receive(), "granted");
    EXPECT_EQ(parent.beat("n", 1, false).status, op_status::renewed);
    EXPECT_EQ(parent.acquire("m", 2).status, op_status::busy);
    forked.resume();
    EXPECT_EQ(forked.wait(), 0);
    EXPECT_EQ(parent.acquire("m", 3).status, op_status::granted);
    EXPECT_EQ(parent.release("n", 1).status, op_status::released);
    EXPECT_EQ(integrity(path), "ok");
}

// SQLite's own bookkeeping of locks is inherited, the locks are not. Without what fork_watch does
// the child would work on without them, and whoever closes the file last, as it thinks, would
// remove the WAL that the child still writes to.
TEST(embedded_fork, a_childs_client_works_when_the_parents_is_closed) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    auto parent = std::make_unique<embedded_client>(path);
    ASSERT_EQ(parent->acquire("n", 1).status, op_status::granted);
    child_process forked{[&](const child_process::parent_channel& to) {
        embedded_client me{path};
        to.send(me.acquire("m", 1).status == op_status::granted ? "granted" : "wrong");
        to.wait_for_parent();
        const auto answer = me.acquire("o", 2);
        to.send(answer.status == op_status::granted ? "granted" : answer.detail);
        to.wait_for_parent();
    }};
    ASSERT_EQ(forked.receive(), "granted");
    parent.reset();
    EXPECT_EQ(integrity(path), "ok"); // opens the file and closes it
    forked.resume();
    EXPECT_EQ(forked.receive(), "granted");
    embedded_client newcomer{path};
    EXPECT_EQ(newcomer.acquire("o", 2).status, op_status::busy);
    EXPECT_EQ(integrity(path), "ok");
}

TEST(embedded_fork, a_child_that_does_nothing_keeps_nothing_alive) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    int grandchild = 0;
    {
        child_process holder{[&](const child_process::parent_channel& to) {
            embedded_client me{path};
            if (me.acquire("n", 1).status != op_status::granted) { return; }
            const pid_t forked = ::fork();
            if (forked == 0) {
                ::pause(); // with all that it inherited
                ::_exit(0);
            }
            to.send(std::to_string(forked));
            to.wait_for_parent();
        }};
        grandchild = std::stoi(holder.receive());
        embedded_client me{path};
        EXPECT_EQ(me.acquire("n", 1).status, op_status::busy);
        holder.end(SIGKILL);
    }
    embedded_client me{path};
    std::uint64_t number = 1;
    // Not at once: the grandchild may not have run yet.
    EXPECT_TRUE(eventually([&] { return me.acquire("n", ++number).status == op_status::granted; }));
    ::kill(grandchild, SIGKILL);
}

TEST(embedded_fork, forks_while_other_threads_lock) {
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    embedded_client held{path};
    ASSERT_EQ(held.acquire("held", 1).status, op_status::granted);
    std::atomic<bool> stop{false};
    std::atomic<int> failures{0};
    std::thread worker{[&] {
        embedded_client me{path};
        for (std::uint64_t number = 1; !stop; ++number) {
            if (me.acquire("n", number).status != op_status::granted) { ++failures; }
            if (me.release("n", number).status != op_status::released) { ++failures; }
        }
    }};
    for (int round = 0; round < 20; ++round) {
        child_process forked{[&](const child_process::parent_channel& to) {
            embedded_client me{path};
            to.send(me.acquire("held", 1).status == op_status::busy ? "busy" : "wrong");
        }};
        EXPECT_EQ(forked.receive(), "busy");
        EXPECT_EQ(forked.wait(), 0);
    }
    stop = true;
    worker.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(held.release("held", 1).status, op_status::released);
    EXPECT_EQ(integrity(path), "ok");
}

} // namespace
} // namespace holdfast::test
