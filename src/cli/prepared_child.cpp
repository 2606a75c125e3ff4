#include "cli/prepared_child.hpp"

#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace {

std::vector<std::string>
merged_environment(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
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

std::vector<char*> to_pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (auto& text : texts) { out.push_back(text.data()); }
    out.push_back(nullptr);
    return out;
}

/// What the new process needs, made before the fork: after it the process must not allocate.
struct exec_arguments {
    char* const* argv;
    char* const* envp;
    const sigset_t* mask;
    sigset_t defaults;
    int socket;
    int death_signal;
};

/// Runs between fork and exec, with all signals blocked.
[[noreturn]] void wait_and_exec(const exec_arguments& arguments) noexcept {
    for (int signal = 1; signal < NSIG; ++signal) {
        if (::sigismember(&arguments.defaults, signal) == 1) { set_to_default(signal); }
    }
    if (arguments.death_signal != 0) { ::prctl(PR_SET_PDEATHSIG, arguments.death_signal); }
    char byte = 0; // if our parent has died already it does not come
    if (::read(arguments.socket, &byte, 1) != 1) { ::_exit(exit_code::not_found); } // cancelled
    ::pthread_sigmask(SIG_SETMASK, arguments.mask, nullptr);
    ::execvpe(arguments.argv[0], arguments.argv, arguments.envp);
    const int error = errno;
    [[maybe_unused]] const auto sent = ::send(arguments.socket, &error, sizeof error, MSG_NOSIGNAL);
    ::_exit(exit_code::not_found);
}

/// Blocks all signals until it is destroyed.
class signal_block {
public:
    signal_block() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    signal_block(const signal_block&) = delete;
    signal_block& operator=(const signal_block&) = delete;
    ~signal_block() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

prepared_child::prepared_child(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& more_environment,
    const signal_state& signals, pid_t group, int death_signal) {
    auto words = command;
    auto variables = merged_environment(more_environment);
    const auto argv = to_pointers(words);
    const auto envp = to_pointers(variables);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        error_ = errno;
        return;
    }
    socket_ = base::fd{ends[0]};
    const base::fd child_end{ends[1]};
    const exec_arguments arguments{argv.data(),     envp.data(),
                                   &signals.mask(), signals.default_signals(),
                                   child_end.get(), death_signal};
    const signal_block block;
    pid_ = ::_Fork(); // fork() would run atfork handlers, which are not for a process that execs
    if (pid_ == 0) {
        ::close(ends[0]);
        wait_and_exec(arguments);
    }
    if (pid_ < 0 || ::setpgid(pid_, group) != 0) { error_ = errno; }
    pid_ = std::max(pid_, 0);
}

prepared_child::~prepared_child() {
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

int prepared_child::start() noexcept {
    if (error_ != 0) { return error_; }
    [[maybe_unused]] const auto sent = ::send(socket_.get(), "g", 1, MSG_NOSIGNAL);
    // exec closes the socket; a failed exec sends its errno.
    ssize_t length = 0;
    do {
        length = ::read(socket_.get(), &error_, sizeof error_);
    } while (length < 0 && errno == EINTR);
    if (length == static_cast<ssize_t>(sizeof error_)) { return error_; }
    pid_ = 0;
    return 0;
}

int print_start_failure(const std::string& command, int error, const char* advice) {
    const int code = error == ENOENT ? exit_code::not_found : exit_code::not_executable;
    print_message(escape_text(command) + " cannot be started (" +
                      std::generic_category().message(error) + "); check the command and PATH" +
                      advice,
                  log_level::error, {.event = "command_not_started", .exit_code = code});
    return code;
}

} // namespace holdfast::cli
