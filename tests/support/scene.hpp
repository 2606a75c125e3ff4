#pragma once
// Commands that a test starts: their input, output and end; and nothing of them is left afterwards.

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
    std::string input{};        ///< what stdin holds; empty: it is /dev/null
    std::vector<int> closed{};  ///< descriptors that are closed
    std::vector<int> ignored{}; ///< signals that are ignored
    std::vector<std::pair<std::string, std::string>> variables{};
    bool bare_environment = false; ///< nothing in it but `variables`, as under cron or env -i
    bool own_session = false;      ///< no terminal
};

struct outcome {
    int code = -1; ///< as a shell says it: 128+N for signal N; -1: it did not end in time
    bool signalled = false;
    std::string out;
    std::string err;
};

/// One command that was started. Move-only; the destructor kills it.
class running {
public:
    running(pid_t pid, std::filesystem::path out, std::filesystem::path err)
        : pid_{pid}, out_{std::move(out)}, err_{std::move(err)} {}
    running(running&& other) noexcept;
    running& operator=(running&& other) = delete;
    running(const running&) = delete;
    running& operator=(const running&) = delete;
    ~running();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    [[nodiscard]] std::string out() const; ///< what it has written so far
    [[nodiscard]] std::string err() const;
    /// Waits for the end; a command that takes longer is killed and gives -1.
    outcome wait(milliseconds within = long_wait * 2);
    /// Whether it has ended; then wait() answers at once.
    [[nodiscard]] bool over();

private:
    pid_t pid_;
    std::filesystem::path out_;
    std::filesystem::path err_;
    std::optional<int> status_;
};

/// A folder with a store of its own. Each command is a job of its own, as a shell starts it: in a
/// process group that is its alone. Whatever was started in it is killed with it: each process
/// inherits a mark in its environment.
class scene {
public:
    scene();
    scene(const scene&) = delete;
    scene& operator=(const scene&) = delete;
    ~scene();

    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / name;
    }
    [[nodiscard]] std::string url() const { return "embedded:" + file("locks").string(); }
    [[nodiscard]] std::string content(const std::string& name) const;
    void write(const std::string& name, const std::string& text) const;

    /// In the scene's folder, with HOLDFAST_URL set to its store.
    [[nodiscard]] running start(const words& command, const start_options& options = {});
    [[nodiscard]] outcome run(const words& command, const start_options& options = {});

    /// The variables that a command gets beside `how.variables`: for those started in other ways.
    [[nodiscard]] std::vector<std::string> environment(const start_options& options = {}) const;

    /// Everything alive that was started here, at any depth.
    [[nodiscard]] std::vector<process> processes() const { return processes_with(mark_); }
    /// Whether nothing of it is left in time; says what is.
    [[nodiscard]] std::string left_over(milliseconds within = long_wait) const;

private:
    std::filesystem::path folder_;
    std::string mark_;
    int started_ = 0;
};

} // namespace holdfast::test
