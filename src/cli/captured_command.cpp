// compiled alone
#include "cli/captured_command.hpp"

#include "cli/errno_error.hpp"
#include "cli/exit_codes.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/prepared_child.hpp"
#include "cli/token_text.hpp"
#include "holdfast/base/fd.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace holdfast::cli {

namespace {

/// How often it looks for the end of the command, of the lease, and for signals.
constexpr int poll_ms = 20;

/// Makes `pipe` our stdout until it is destroyed, so that a child that is forked meanwhile has it.
class redirected_stdout {
public:
    explicit redirected_stdout(int pipe) : saved_{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)} {
        ::dup2(pipe, STDOUT_FILENO);
    }
    redirected_stdout(const redirected_stdout&) = delete;
    redirected_stdout& operator=(const redirected_stdout&) = delete;
    ~redirected_stdout() { ::dup2(saved_.get(), STDOUT_FILENO); }

private:
    base::fd saved_;
};

/// Passes on and keeps what can be read now.
void read_output(int pipe, captured_command& out) {
    std::array<char, 16'384> chunk; // NOLINT(cppcoreguidelines-pro-type-member-init): read() does
    for (;;) {
        const auto count = ::read(pipe, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) { continue; }
        if (count <= 0) { return; }
        const std::string_view text{chunk.data(), static_cast<std::size_t>(count)};
        // A reader that has gone does not end the command: others want its output.
        [[maybe_unused]] const bool printed = print(text);
        const auto room = std::min(text.size(), max_captured - out.output.size());
        out.output += text.substr(0, room);
        out.is_truncated = out.is_truncated || room < text.size();
    }
}

int exit_code_of(int status) noexcept {
    return WIFSIGNALED(status) ? exit_code::signalled + WTERMSIG(status) : WEXITSTATUS(status);
}

void print_loss(const lease& held, const loss_record& losses) {
    const auto cause = losses.cause(held.why_lost(), false);
    print_message(quote_name(held.name()) + ": the lock was lost (" + escape_text(cause.text) +
                      "); the command was killed" + (cause.intended ? "" : "; run it again"),
                  log_level::error,
                  {.event = "lost",
                   .reason = cause.word,
                   .token = token_text(held),
                   .exit_code = exit_code::lost});
}

} // namespace

captured_command run_captured(const std::vector<std::string>& command,
                              const signal_state& inherited, const lease& held,
                              const loss_record& losses, const std::stop_token& stop,
                              const termination_signals& signals) {
    captured_command out;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw errno_error("cannot create a pipe", errno, raise_file_limit);
    }
    const base::fd reading{ends[0]};
    base::fd writing{ends[1]};
    ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
    pid_t pid = 0;
    {
        std::optional<redirected_stdout> redirected{std::in_place, writing.get()};
        prepared_child prepared{
            command,
            {{"HOLDFAST_NAME", held.name()}, {"HOLDFAST_TOKEN", token_text(held)}},
            inherited,
            ::getpgrp(),
            SIGKILL};
        redirected.reset();
        pid = prepared.pid();
        if (const int error = prepared.start(); error != 0) {
            out.exit_code = print_start_failure(command.front(), error);
            return out;
        }
    }
    writing.reset();
    bool passed_on = false;
    bool lost = false;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        pollfd only{reading.get(), POLLIN, 0};
        ::poll(&only, 1, poll_ms);
        if ((only.revents & POLLHUP) != 0) { ::poll(nullptr, 0, poll_ms); } // it closed its stdout
        read_output(reading.get(), out);
        if (!std::exchange(passed_on, stop.stop_requested()) && passed_on) {
            ::kill(pid, signals.number());
        }
        if (!lost && !held.valid()) {
            lost = true;
            ::kill(pid, SIGKILL);
        }
    }
    read_output(reading.get(), out);
    out.exit_code = lost ? exit_code::lost : exit_code_of(status);
    out.is_result = !lost && WIFEXITED(status) && !stop.stop_requested();
    if (lost) { print_loss(held, losses); }
    return out;
}

} // namespace holdfast::cli
