// The recorder: many writers, one file.

#include "history/recorder.hpp"

#include "history/line.hpp"
#include "history/parser.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace {

using namespace holdfast::history;
using namespace std::chrono_literals;

/// A path that is gone when the test ends.
class scratch_file {
public:
    scratch_file() {
        std::string text = (std::filesystem::temp_directory_path() / "history-XXXXXX").string();
        const int fd = ::mkstemp(text.data());
        if (fd < 0) { throw std::runtime_error{"no scratch file"}; }
        ::close(fd);
        path_ = text;
    }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    ~scratch_file() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_{};
};

void record_many(const std::filesystem::path& file, int writer, int events) {
    recorder history{file, "writer-" + std::to_string(writer)};
    for (int i = 0; i < events; ++i) {
        // Of different lengths, so that a torn line could not hide behind another.
        history.record(wrote{.name = std::string(static_cast<std::size_t>(1 + i % 200), '%'),
                             .owner = "o",
                             .value = i});
    }
}

template <class Work>
pid_t in_child(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            work();
            ::_exit(0);
        } catch (...) { ::_exit(1); }
    }
    return child;
}

int exit_code_of(pid_t child) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) { return -1; }
    return WEXITSTATUS(status);
}

TEST(history_recorder, brings_every_event_of_four_processes_in_whole) {
    const scratch_file file;
    std::vector<pid_t> children;
    children.reserve(4);
    for (int writer = 0; writer < 4; ++writer) {
        children.push_back(in_child([&] { record_many(file.path(), writer, 1000); }));
    }
    for (const auto child : children) { EXPECT_EQ(exit_code_of(child), 0); }

    const auto read = parse_file(file.path());
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(read.torn, 0U);
    ASSERT_EQ(read.events.size(), 4000U);
    std::map<std::string, std::int64_t> next;
    std::map<std::string, stamp> last;
    std::set<int> pids;
    for (const auto& e : read.events) {
        const auto& w = std::get<wrote>(e.type);
        EXPECT_EQ(*w.value, next[e.process]++);
        EXPECT_EQ(w.name, std::string(static_cast<std::size_t>(1 + *w.value % 200), '%'));
        EXPECT_GE(e.at, last[e.process]);
        last[e.process] = e.at;
        pids.insert(e.pid);
    }
    EXPECT_EQ(pids, std::set<int>(children.begin(), children.end()));
}

TEST(history_recorder, is_used_by_many_threads_at_once) {
    const scratch_file file;
    recorder history{file.path(), "one"};
    {
        std::vector<std::jthread> threads;
        threads.reserve(4);
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 250; ++i) { history.record(released{"n", "o"}); }
            });
        }
    }
    const auto read = parse_file(file.path());
    EXPECT_EQ(read.events.size(), 1000U);
    EXPECT_TRUE(read.errors.empty());
    std::map<int, int> by_thread;
    for (const auto& e : read.events) { ++by_thread[e.thread]; }
    EXPECT_EQ(by_thread.size(), 4U);
    for (const auto& [thread, count] : by_thread) { EXPECT_EQ(count, 250) << thread; }
}

TEST(history_recorder, goes_on_in_a_forked_child_under_the_pid_of_the_child) {
    const scratch_file file;
    recorder history{file.path(), "both"};
    history.record(released{"n", "parent"});
    const pid_t child = in_child([&] { history.record(released{"n", "child"}); });
    ASSERT_EQ(exit_code_of(child), 0);
    const auto read = parse_file(file.path());
    ASSERT_EQ(read.events.size(), 2U);
    EXPECT_EQ(read.events[0].pid, ::getpid());
    EXPECT_EQ(read.events[1].pid, child);
}

TEST(history_recorder, leaves_whole_lines_when_its_process_is_killed) {
    const scratch_file file;
    const pid_t child = in_child([&] { record_many(file.path(), 0, 100'000'000); });
    while (std::filesystem::file_size(file.path()) < 100'000) { std::this_thread::yield(); }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const auto read = parse_file(file.path());
    EXPECT_TRUE(read.errors.empty());
    EXPECT_LE(read.torn, 1U);
    std::int64_t next = 0;
    for (const auto& e : read.events) { EXPECT_EQ(*std::get<wrote>(e.type).value, next++); }
}

TEST(history_recorder, appends_to_what_is_there_and_keeps_a_stamp_that_it_is_given) {
    const scratch_file file;
    recorder{file.path(), "first"}.record(released{"n", "o"}, 42ns);
    const auto before = now();
    recorder{file.path(), "second"}.record(released{"n", "o"});
    const auto read = parse_file(file.path());
    ASSERT_EQ(read.events.size(), 2U);
    EXPECT_EQ(read.events[0].at, 42ns);
    EXPECT_GE(read.events[1].at, before);
    EXPECT_LE(read.events[1].at, now());
}

TEST(history_recorder, says_when_it_cannot_record) {
    EXPECT_THROW((recorder{"/no/such/folder/history", "p"}), std::system_error);
    EXPECT_THROW((recorder{"/dev/full", "p"}.record(released{"n", "o"})), std::system_error);
    const scratch_file file;
    recorder history{file.path(), "p"};
    EXPECT_THROW(history.record(released{std::string(max_line, 'n'), "o"}), std::length_error);
    EXPECT_EQ(std::filesystem::file_size(file.path()), 0U);
}

#ifdef HOLDFAST_CHECK_HISTORY
int check_history(const std::string& arguments) {
    const std::string command =
        std::string{HOLDFAST_CHECK_HISTORY} + " " + arguments + " >/dev/null 2>&1";
    const int status = std::system(command.c_str()); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(history_program, exits_with_0_when_clean_1_on_violations_2_when_unreadable) {
    const scratch_file file;
    const std::string path = file.path().string();
    EXPECT_EQ(check_history(path), 2) << "empty";

    recorder history{file.path(), "p"};
    history.record(requested{.name = "n", .owner = "a"}, 1s);
    history.record(granted{"n", "a", 1, 3s}, 1s);
    history.record(released{"n", "a"}, 2s);
    EXPECT_EQ(check_history(path), 0);
    EXPECT_EQ(check_history("--fifo --counter --starvation 100 --loss 5 " + path), 0);

    history.record(requested{.name = "n", .owner = "b"}, 1500ms);
    history.record(granted{"n", "b", 2, 3s}, 1500ms);
    history.record(released{"n", "b"}, 2s);
    EXPECT_EQ(check_history(path), 1);

    std::ofstream{file.path(), std::ios::app} << "@rele";
    EXPECT_EQ(check_history(path), 2) << "torn, and nobody was killed";
    history.record(killed{.victim = 1}, 2s);
    EXPECT_EQ(check_history(path), 1) << "torn by a killed writer";
    std::ofstream{file.path(), std::ios::app} << "garbage\n";
    EXPECT_EQ(check_history(path), 2);
}

TEST(history_program, exits_with_2_for_a_wrong_option) {
    for (const auto* arguments : {"", "--what", "--fifo", "--loss", "--loss x /dev/null",
                                  "--loss -1 /dev/null", "/no/such/history", "/"}) {
        EXPECT_EQ(check_history(arguments), 2) << arguments;
    }
}
#endif

} // namespace
