#include "support/child.hpp"

#include "support/timing.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::test {

namespace {

[[noreturn]] void be_the_child(int to_parent, const std::function<std::string()>& body) {
    std::string wrong;
    try {
        wrong = body();
    } catch (const std::exception& thrown) { wrong = std::string{"threw: "} + thrown.what(); }
    const auto written = ::write(to_parent, wrong.data(), wrong.size());
    ::_exit(written == static_cast<::ssize_t>(wrong.size()) ? 0 : 1);
}

/// Reads until the child has closed its end; false: it did not in time.
bool read_all(int from_child, std::string& text) {
    const stopwatch watch;
    for (;;) {
        const auto left = (long_wait - watch.elapsed()).count();
        pollfd ready{.fd = from_child, .events = POLLIN, .revents = 0};
        if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) { return false; }
        std::array<char, 512> some{};
        const auto got = ::read(from_child, some.data(), some.size());
        if (got <= 0) { return got == 0; }
        text.append(some.data(), static_cast<std::size_t>(got));
    }
}

} // namespace

std::string in_child(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) { throw std::system_error{errno, std::generic_category()}; }
#ifdef HOLDFAST_TEST_SANITIZED
    // Unlike glibc's, the sanitizers' allocators are not safe to fork while a thread is in them.
    std::this_thread::sleep_for(100ms);
#endif
    const auto child = ::fork();
    if (child < 0) { throw std::system_error{errno, std::generic_category()}; }
    if (child == 0) { be_the_child(ends[1], body); }
    ::close(ends[1]);
    std::string wrong;
    if (!read_all(ends[0], wrong)) {
        wrong += "the child hangs";
        ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0 && wrong.empty()) {
        wrong = "the child ended with status " + std::to_string(status);
    }
    return wrong;
}

} // namespace holdfast::test
