#include "support/child.hpp"

#include "support/timing.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace holdfast::test {

namespace {

[[noreturn]] void run_child(int to_parent, const std::function<std::string()>& body) {
    std::string failure;
    try {
        failure = body();
    } catch (const std::exception& thrown) { failure = std::string{"threw: "} + thrown.what(); }
    const auto written = ::write(to_parent, failure.data(), failure.size());
    ::_exit(written == static_cast<::ssize_t>(failure.size()) ? 0 : 1);
}

/// Reads until the child closes its end; false if it does not in time.
bool read_all(int from_child, std::string& text) {
    const stopwatch watch;
    for (;;) {
        const auto left = (long_wait - watch.elapsed()).count();
        pollfd ready{.fd = from_child, .events = POLLIN, .revents = 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) { return false; }
        std::array<char, 512> buffer{};
        const auto count = ::read(from_child, buffer.data(), buffer.size());
        if (count <= 0) { return count == 0; }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

#ifdef HOLDFAST_TEST_SANITIZED
/// Whether every other thread of this process sleeps in the kernel.
bool others_sleep() {
    const auto self = std::to_string(::gettid());
    for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
        if (thread.path().filename() == self) { continue; }
        std::ifstream file{thread.path() / "stat"};
        std::string line{std::istreambuf_iterator<char>{file}, {}};
        // pid (name) state ...; a thread that has just ended has no line.
        const auto end_of_name = line.rfind(") ");
        if (end_of_name != std::string::npos && line.compare(end_of_name + 2, 1, "S") != 0) {
            return false;
        }
    }
    return true;
}

/// The sanitizers' allocators do not support a fork while another thread allocates: the child would
/// wait for ever for a lock that the thread held. A thread that sleeps does not allocate.
void wait_until_others_sleep() {
    std::this_thread::sleep_for(100ms);
    const stopwatch watch;
    int quiet = 0;
    while (quiet < 3 && watch.elapsed() < long_wait) {
        quiet = others_sleep() ? quiet + 1 : 0;
        if (quiet == 0) { std::this_thread::sleep_for(1ms); }
    }
}
#endif

} // namespace

std::string in_child(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) { throw std::system_error{errno, std::generic_category()}; }
#ifdef HOLDFAST_TEST_SANITIZED
    wait_until_others_sleep();
#endif
    const auto child = ::fork();
    if (child < 0) { throw std::system_error{errno, std::generic_category()}; }
    if (child == 0) { run_child(ends[1], body); }
    ::close(ends[1]);
    std::string failure;
    if (!read_all(ends[0], failure)) {
        failure += "the child hangs";
        ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0 && failure.empty()) {
        failure = "the child ended with status " + std::to_string(status);
    }
    return failure;
}

} // namespace holdfast::test
