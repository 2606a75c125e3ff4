#include "redis/server.hpp"

#include "holdfast/base/fd.hpp"
#include "redis/hiredis_connection.hpp"

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

/// A port that is free now. If another process binds it first, the server ends at once, and another
/// port is tried.
std::uint16_t spare_port() {
    const base::fd probe{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    // The sockets API takes all address types as sockaddr.
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(probe.get(), raw, size) != 0 || ::getsockname(probe.get(), raw, &size) != 0) {
        throw std::runtime_error{"no free port"};
    }
    return ntohs(address.sin_port);
}

::pid_t spawn(const std::string& program, const std::string& port) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child < 0) { throw std::runtime_error{"fork failed"}; }
    if (child > 0) { return child; }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); }
    const int null_device = ::open("/dev/null", O_RDWR);
    ::dup2(null_device, STDOUT_FILENO);
    ::dup2(null_device, STDERR_FILENO);
    ::execlp(program.c_str(), program.c_str(), "--bind", "127.0.0.1", "--port", port.c_str(),
             "--save", "", "--appendonly", "no", "--dir", "/tmp", "--maxclients", "10000",
             static_cast<char*>(nullptr));
    ::_exit(127);
}

} // namespace

std::string server::program() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
    const char* const name = std::getenv("HOLDFAST_REDIS_SERVER");
    return name != nullptr && *name != '\0' ? name : "redis-server";
}

server::server() {
    using namespace std::chrono_literals;
    constexpr int tries = 5;
    constexpr int max_polls = 500;
    for (int i = 0; i < tries; ++i) {
        port_ = spare_port();
        pid_ = spawn(program(), std::to_string(port_));
        for (int poll = 0; poll < max_polls; ++poll) {
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
        hiredis_connection connection{port_};
        connection.ask({"PING"});
        return true;
    } catch (const std::runtime_error&) { return false; }
}

void server::freeze() const {
    if (pid_ == 0 || ::kill(pid_, SIGSTOP) != 0) { throw std::runtime_error{"cannot be stopped"}; }
}

void server::end() noexcept {
    if (pid_ == 0) { return; }
    ::kill(pid_, SIGKILL); // it has nothing to save
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    pid_ = 0;
}

} // namespace holdfast::bench::redis
