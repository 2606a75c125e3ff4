#pragma once
// A folder in which a test starts commands, and kills all their processes afterwards.

#include "support/processes.hpp"
#include "support/timing.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::test {

using words = std::vector<std::string>;

struct start_options {
    std::string input{};        ///< the content of stdin; empty: /dev/null
    std::vector<int> closed{};  ///< closed descriptors
    std::vector<int> ignored{}; ///< ignored signals
    std::vector<std::pair<std::string, std::string>> variables{};
    bool bare_environment = false; ///< only `variables`, as under cron or env -i
    bool own_session = false;      ///< no terminal
};

struct command_result {
    int code = -1; ///< as in a shell: 128+N for signal N; -1: it did not exit in time
    bool signalled = false;
    std::string out;
    std::string err;
};

/// A command that was started. Move-only; the destructor kills it.
class running_command {
public:
    running_command(pid_t pid, std::filesystem::path out, std::filesystem::path err)
        : pid_{pid}, out_{std::move(out)}, err_{std::move(err)} {}
    running_command(running_command&& other) noexcept;
    running_command& operator=(running_command&& other) = delete;
    running_command(const running_command&) = delete;
    running_command& operator=(const running_command&) = delete;
    ~running_command();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    [[nodiscard]] std::string out() const; ///< its output so far
    [[nodiscard]] std::string err() const;
    /// Waits for its exit; kills a command that takes longer and returns -1.
    command_result wait(milliseconds within = long_wait * 2);
    /// Whether it has exited; then wait() returns at once.
    [[nodiscard]] bool has_ended();

private:
    pid_t pid_;
    std::filesystem::path out_;
    std::filesystem::path err_;
    std::optional<int> status_;
};

/// A temporary folder with a store. Each command runs in a process group of its own, like a job of
/// a shell. The destructor kills all processes that were started: each inherits a mark in its
/// environment.
class sandbox {
public:
    sandbox();
    sandbox(const sandbox&) = delete;
    sandbox& operator=(const sandbox&) = delete;
    ~sandbox();

    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / name;
    }
    [[nodiscard]] std::string url() const { return "embedded:" + file("locks").string(); }
    [[nodiscard]] std::string content(const std::string& name) const;
    void write(const std::string& name, const std::string& text) const;

    /// Runs it in the folder, with HOLDFAST_URL set to the store.
    [[nodiscard]] running_command start(const words& command, const start_options& options = {});
    [[nodiscard]] command_result run(const words& command, const start_options& options = {});

    /// The whole environment of a command, for commands that are started in other ways.
    [[nodiscard]] std::vector<std::string> environment(const start_options& options = {}) const;

    /// All processes that were started here and still run, at any depth.
    [[nodiscard]] std::vector<process> processes() const { return processes_with(mark_); }
    /// The processes that are left after `within`, one per line; empty: none.
    [[nodiscard]] std::string left_over(milliseconds within = long_wait) const;

private:
    std::filesystem::path folder_;
    std::string mark_;
    int started_ = 0;
};

} // namespace holdfast::test
