// What a process inherits or suffers from others at an unlucky moment: a fork() while another
// thread closes a client, and a client that dies while it is told of its turn.
// compiled alone

#include "embedded_support.hpp"
#include "holdfast/base/fd.hpp"
#include "holdfast/engine/embedded/fifo_inbox.hpp"
#include "support/child.hpp"
#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

std::atomic<bool> closes_slowly{false};
std::atomic<bool> is_closing{false};
/// Called once, by the next fstat().
std::function<void()> before_fstat;

} // namespace

/// In place of the C library's.
extern "C" int fstat64(int file, struct stat64* about) noexcept {
    static const auto real =
        reinterpret_cast<int (*)(int, struct stat64*)>(::dlsym(RTLD_NEXT, "fstat64"));
    if (before_fstat) { std::exchange(before_fstat, nullptr)(); }
    return real(file, about);
}

/// In place of SQLite's, which the library calls: takes its time where a test wants that.
extern "C" int sqlite3_close_v2(sqlite3* database) {
    static const auto real =
        reinterpret_cast<int (*)(sqlite3*)>(::dlsym(RTLD_NEXT, "sqlite3_close_v2"));
    if (closes_slowly) {
        is_closing = true;
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
    }
    return real(database);
}

namespace holdfast::test {
namespace {

/// Who has SQLite's SHARED lock on this file; 0: nobody else than this process.
pid_t locker_of(const std::string& path) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000002;
    lock.l_len = 510;
    const base::fd file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
    EXPECT_EQ(::fcntl(file.get(), F_GETLK, &lock), 0);
    return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

// SQLite in the child believed to have the locks of a connection that the parent was closing. An
// operator who opened and closed the file then removed the log under the child's lock.
TEST(embedded_fork, while_a_client_is_closed_leaves_the_child_no_open_connection) { // P1
    const scratch_folder folder;
    const std::string path = folder / "locks.db";
    const std::string url = "embedded:" + path;
    std::optional<client> ending{url};
    { const auto held = mutex{*ending, "x"}.acquire(); }
    closes_slowly = true;
    std::thread closing{[&] { ending.reset(); }};
    EXPECT_TRUE(eventually([&] { return is_closing.load(); }));
    child_process child{[&](const child_process::parent_channel& parent) {
        closes_slowly = false;
        parent.wait_for_parent();
        client mine{url};
        const auto held = mutex{mine, "x"}.acquire();
        parent.send(std::to_string(::getpid()));
        parent.wait_for_parent();
    }};
    closing.join();
    closes_slowly = false;
    child.resume();
    const auto holder = child.receive();
    EXPECT_EQ(std::to_string(locker_of(path)), holder);
    child.resume();
}

// write() to a FIFO whose reader has gone raises SIGPIPE, which ends the process that unlocks.
TEST(embedded_notice, to_a_client_that_dies_does_not_end_the_sender) { // P8
    const scratch_folder folder;
    const std::string inboxes = folder / "inbox";
    struct stat database {};
    ASSERT_EQ(::stat("/", &database), 0);
    engine::embedded::fifo_inbox sender;
    const auto to = base::client_id::make();
    sender.open(inboxes, base::client_id::make(), database);
    const auto ended = in_child([&]() -> std::string {
        engine::embedded::fifo_inbox receiver;
        receiver.open(inboxes, to, database);
        std::signal(SIGPIPE, SIG_DFL);
        before_fstat = [&] { receiver.drop(); }; // between its open() and its write()
        sender.send(to, {.type = engine::notice::kind::inbox_reset});
        return before_fstat ? "nothing was sent" : "";
    });
    EXPECT_EQ(ended, "");
}

} // namespace
} // namespace holdfast::test
