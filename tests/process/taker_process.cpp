#include "process/taker_process.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::test {

namespace {

void require(bool succeeded, const char* call, int number = errno) {
    if (!succeeded) { throw std::system_error{number, std::generic_category(), call}; }
}

struct pipe_ends {
    base::fd read_end;
    base::fd write_end;
};

pipe_ends make_pipe() {
    std::array<int, 2> ends{};
    require(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe2");
    return {base::fd{ends[0]}, base::fd{ends[1]}};
}

} // namespace

taker_process::taker_process(history::recorder& events, std::vector<std::string> flags)
    : events_{events} {
    std::signal(SIGPIPE, SIG_IGN); // send_line() may write to a process that has exited
    auto input = make_pipe();
    auto output = make_pipe();
    flags.insert(flags.begin(), {HOLDFAST_LOCK_TAKER, "--parent", std::to_string(::getpid())});
    std::vector<char*> words;
    words.reserve(flags.size() + 1);
    for (auto& flag : flags) { words.push_back(flag.data()); }
    words.push_back(nullptr);
    ::posix_spawn_file_actions_t actions;
    require(::posix_spawn_file_actions_init(&actions) == 0, "posix_spawn");
    ::posix_spawn_file_actions_adddup2(&actions, input.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    const auto failed =
        ::posix_spawn(&pid_, HOLDFAST_LOCK_TAKER, &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    require(failed == 0, "posix_spawn", failed);
    input_ = std::move(input.write_end);
    output_ = std::move(output.read_end);
}

taker_process::~taker_process() {
    try {
        kill();
    } catch (const std::exception&) { // nothing more can be done
    }
}

void taker_process::kill() {
    if (ended()) { return; }
    const auto sent = history::now();
    ::kill(pid_, SIGKILL);
    require(::waitpid(pid_, &status_, 0) == pid_, "waitpid");
    reaped_ = true;
    events_.record(history::killed{pid_, sent});
}

void taker_process::stop() {
    if (ended()) { return; } // its pid may have been reused
    stopped_at_ = history::now();
    ::kill(pid_, SIGSTOP);
    require(::waitpid(pid_, &status_, WUNTRACED) == pid_, "waitpid");
    reaped_ = !WIFSTOPPED(status_);
}

history::stamp taker_process::resume() {
    const auto sent = history::now();
    if (ended()) { return sent; }
    ::kill(pid_, SIGCONT);
    events_.record(history::resumed{pid_, stopped_at_, history::now()});
    return sent;
}

bool taker_process::ended() {
    if (!reaped_) { reaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_; }
    return reaped_;
}

int taker_process::wait_for_end(milliseconds within) {
    if (!eventually([this] { return ended(); }, within)) { return -1; }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

void taker_process::send_line(const std::string& line) const {
    const auto text = line + "\n";
    require(::write(input_.get(), text.data(), text.size()) >= 0 || errno == EPIPE, "write");
}

bool taker_process::read_more(milliseconds within) {
    pollfd ready{output_.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(within.count())) <= 0) { return false; }
    std::array<char, 512> buffer{};
    const auto length = ::read(output_.get(), buffer.data(), buffer.size());
    if (length <= 0) { return false; }
    unread_.append(buffer.data(), static_cast<std::size_t>(length));
    return true;
}

std::optional<std::string> taker_process::wait_for_line(const std::string& word,
                                                        milliseconds within) {
    const stopwatch watch;
    for (;;) {
        for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
            const auto line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            if (line.starts_with(word)) { return line; }
        }
        const auto left = within - watch.elapsed();
        if (left <= 0ms || !read_more(left)) { return std::nullopt; }
    }
}

std::int64_t number_in(const std::string& line, const std::string& key) {
    const auto at = line.find(key);
    if (at == std::string::npos) { throw std::invalid_argument{"no " + key + " in: " + line}; }
    std::int64_t out = 0;
    std::from_chars(line.data() + at + key.size(), line.data() + line.size(), out);
    return out;
}

} // namespace holdfast::test
