#include "driver_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::interop {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error{errno, std::generic_category(), what};
}

std::pair<base::fd, base::fd> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) { fail("pipe2"); }
    return {base::fd{ends[0]}, base::fd{ends[1]}};
}

/// Between fork and exec: only what is safe there although other threads may have held locks.
[[noreturn]] void be_the_driver(char* const* command, int in, int out, ::pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); } // it died before it was asked for
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execv(command[0], command);
    ::_exit(127);
}

} // namespace

driver_process::driver_process(words command) {
    ::signal(SIGPIPE, SIG_IGN); // one that was killed reads no requests
    auto [their_input, our_output] = make_pipe();
    auto [our_input, their_output] = make_pipe();
    std::vector<char*> pointers;
    pointers.reserve(command.size() + 1);
    for (auto& one : command) { pointers.push_back(one.data()); }
    pointers.push_back(nullptr);
    const auto parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) { fail(command.at(0)); }
    if (pid_ == 0) {
        be_the_driver(pointers.data(), their_input.get(), their_output.get(), parent);
    }
    input_ = std::move(our_output);
    output_ = std::move(our_input);
    reader_ = std::thread{[this] { read_answers(); }};
}

driver_process::~driver_process() {
    kill();
    reader_.join();
}

void driver_process::kill() {
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

pending driver_process::start(const std::string& request) {
    const std::lock_guard guard{mutex_};
    const auto number = std::to_string(++last_number_);
    std::promise<answer> promise;
    pending out{promise.get_future()};
    const auto line = number + " " + request + "\n";
    // A line is shorter than PIPE_BUF: it is written whole, or the driver is not there any more.
    if (gone_ || ::write(input_.get(), line.data(), line.size()) < 0) {
        promise.set_value({"gone", std::chrono::steady_clock::now()});
    } else {
        waiting_.emplace(number, std::move(promise));
    }
    return out;
}

void driver_process::read_answers() {
    std::string unread;
    std::array<char, 4096> some{};
    for (::ssize_t got = 1; got > 0;) {
        got = ::read(output_.get(), some.data(), some.size());
        const auto at = std::chrono::steady_clock::now();
        if (got > 0) { unread.append(some.data(), static_cast<std::size_t>(got)); }
        for (auto end = unread.find('\n'); end != std::string::npos; end = unread.find('\n')) {
            take(unread.substr(0, end), at);
            unread.erase(0, end + 1);
        }
    }
    const std::lock_guard guard{mutex_};
    gone_ = true;
    for (auto& [number, promise] : waiting_) {
        promise.set_value({"gone", std::chrono::steady_clock::now()});
    }
    waiting_.clear();
}

void driver_process::take(const std::string& line, instant at) {
    const auto space = line.find(' ');
    const std::lock_guard guard{mutex_};
    const auto found = waiting_.find(line.substr(0, space));
    if (found == waiting_.end()) { return; } // a library that writes to standard output
    found->second.set_value({space == std::string::npos ? "" : line.substr(space + 1), at});
    waiting_.erase(found);
}

} // namespace holdfast::interop
