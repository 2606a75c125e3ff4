#include "redis/server.hpp"

#include "holdfast/base/fd.hpp"
#include "redis/wire.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::bench::redis {

namespace {

/// One that the kernel has just had to spare. Somebody else may take it first: then the server ends
/// at once, and another is tried.
std::uint16_t spare_port() {
    const base::fd probe{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    // The sockets API takes every kind of address as this one.
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    if (::bind(probe.get(), address, size) != 0 ||
        ::getsockname(probe.get(), address, &size) != 0) {
        throw std::runtime_error{"no free port"};
    }
    return ntohs(where.sin_port);
}

::pid_t spawn(const std::string& program, const std::string& port) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child < 0) { throw std::runtime_error{"fork failed"}; }
    if (child > 0) { return child; }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); }
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execlp(program.c_str(), program.c_str(), "--bind", "127.0.0.1", "--port", port.c_str(),
             "--save", "", "--appendonly", "no", "--dir", "/tmp", "--maxclients", "10000",
             static_cast<char*>(nullptr));
    ::_exit(127);
}

} // namespace

std::string server::program() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
    const char* const chosen = std::getenv("HOLDFAST_REDIS_SERVER");
    return chosen != nullptr && *chosen != '\0' ? chosen : "redis-server";
}

server::server() {
    using namespace std::chrono_literals;
    constexpr int tries = 5;
    constexpr int looks = 500;
    for (int i = 0; i < tries; ++i) {
        port_ = spare_port();
        pid_ = spawn(program(), std::to_string(port_));
        for (int look = 0; look < looks; ++look) {
            if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
                pid_ = 0;
                break;
            }
            if (answers()) { return; }
            std::this_thread::sleep_for(10ms);
        }
        end();
    }
    throw std::runtime_error{program() + " does not start"};
}

server::~server() { end(); }

bool server::answers() const {
    try {
        wire to{port_};
        to.ask({"PING"});
        return true;
    } catch (const std::runtime_error&) { return false; }
}

void server::end() noexcept {
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL); // it has nothing to save
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    pid_ = 0;
}

} // namespace holdfast::bench::redis
