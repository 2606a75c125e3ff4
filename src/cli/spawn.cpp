#include "cli/spawn.hpp"

#include "cli/exit_codes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> out;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view text{*each};
        const bool replaced = std::any_of(more.begin(), more.end(), [&](const auto& variable) {
            return text.starts_with(variable.first + '=');
        });
        if (!replaced) { out.emplace_back(text); }
    }
    for (const auto& variable : more) {
        auto& text = out.emplace_back(variable.first);
        text += '=';
        text += variable.second;
    }
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& text : texts) { out.push_back(text.data()); }
    out.push_back(nullptr);
    return out;
}

/// All that the new process needs, made before the fork: after it, it may not allocate.
struct start {
    char* const* argv;
    char* const* envp;
    const sigset_t* mask;
    sigset_t defaults;
    int line;
};

/// Between fork and exec, with all signals blocked.
[[noreturn]] void become(const start& start) noexcept {
    for (int signal = 1; signal < NSIG; ++signal) {
        if (::sigismember(&start.defaults, signal) == 1) { set_to_default(signal); }
    }
    char go = 0;
    if (::read(start.line, &go, 1) != 1) { ::_exit(exit_code::not_found); } // not wanted any more
    ::pthread_sigmask(SIG_SETMASK, start.mask, nullptr);
    ::execvpe(start.argv[0], start.argv, start.envp);
    const int error = errno;
    [[maybe_unused]] const auto told = ::send(start.line, &error, sizeof error, MSG_NOSIGNAL);
    ::_exit(exit_code::not_found);
}

/// All signals are blocked while it lives.
class without_signals {
public:
    without_signals() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    without_signals(const without_signals&) = delete;
    without_signals& operator=(const without_signals&) = delete;
    ~without_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

ready_child::ready_child(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& more_environment,
                         const signal_state& signals, pid_t group) {
    auto words = command;
    auto variables = environment_with(more_environment);
    const auto argv = pointers(words);
    const auto envp = pointers(variables);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        error_ = errno;
        return;
    }
    line_ = base::fd{ends[0]};
    const base::fd other{ends[1]};
    const start start{argv.data(), envp.data(), &signals.mask(), signals.to_default(), other.get()};
    const without_signals quiet;
    pid_ = ::_Fork(); // not fork(), whose handlers are for processes that go on
    if (pid_ == 0) {
        ::close(ends[0]);
        become(start);
    }
    if (pid_ < 0 || ::setpgid(pid_, group) != 0) { error_ = errno; }
    pid_ = std::max(pid_, 0);
}

ready_child::~ready_child() {
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

int ready_child::go() noexcept {
    if (error_ != 0) { return error_; }
    [[maybe_unused]] const auto sent = ::send(line_.get(), "g", 1, MSG_NOSIGNAL);
    // The line closes when the command begins.
    ssize_t got = 0;
    do { got = ::read(line_.get(), &error_, sizeof error_); } while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof error_)) { return error_; }
    pid_ = 0;
    return 0;
}

} // namespace holdfast::cli
