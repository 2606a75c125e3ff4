#include "support/net_listener.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace holdfast::test {

namespace {

struct place {
    sockaddr_storage bytes{};
    socklen_t size = 0;
    template <class Raw>
    explicit place(const Raw& raw) : size{sizeof raw} {
        std::memcpy(&bytes, &raw, sizeof raw);
    }
    sockaddr* raw() { return reinterpret_cast<sockaddr*>(&bytes); }
};

place place_of(const std::string& where) {
    if (where.find('/') != std::string::npos) {
        sockaddr_un path{};
        path.sun_family = AF_UNIX;
        if (where.size() >= sizeof path.sun_path) { throw std::length_error{where}; }
        std::memcpy(path.sun_path, where.data(), where.size());
        return place{path};
    }
    if (where.find(':') != std::string::npos) {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        ::inet_pton(AF_INET6, where.c_str(), &six.sin6_addr);
        return place{six};
    }
    sockaddr_in four{};
    four.sin_family = AF_INET;
    ::inet_pton(AF_INET, where.c_str(), &four.sin_addr);
    return place{four};
}

bool readable(int descriptor, milliseconds within) {
    pollfd what{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&what, 1, static_cast<int>(within.count())) > 0;
}

void require(bool done, const char* what) {
    if (!done) { throw std::system_error{errno, std::generic_category(), what}; }
}

} // namespace

listener::listener(const std::string& where, int backlog) {
    place at = place_of(where);
    socket_ = base::fd{::socket(at.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    require(static_cast<bool>(socket_), "socket");
    require(::bind(socket_.get(), at.raw(), at.size) == 0, "bind");
    require(::listen(socket_.get(), backlog) == 0, "listen");
    require(::getsockname(socket_.get(), at.raw(), &at.size) == 0, "getsockname");
    // At the same place in the addresses of both families.
    if (at.bytes.ss_family != AF_UNIX) {
        port_ = ntohs(reinterpret_cast<sockaddr_in*>(&at.bytes)->sin_port);
    }
}

base::fd listener::accept(milliseconds within) const {
    if (!readable(socket_.get(), within)) { return {}; }
    base::fd out{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    // What a test sends is there when it has been sent.
    const int yes = 1;
    if (port_ != 0) { ::setsockopt(out.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); }
    return out;
}

std::uint16_t closed_port() { return listener{}.port(); }

std::string receive(int socket, std::size_t count, milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    std::string got;
    std::string some(65536, '\0');
    while (got.size() < count) {
        const auto left = end - std::chrono::steady_clock::now();
        const auto wait = std::chrono::duration_cast<milliseconds>(left);
        if (wait.count() <= 0 || !readable(socket, wait)) { break; }
        const auto most = std::min(some.size(), count - got.size());
        const auto size = ::recv(socket, some.data(), most, 0);
        if (size <= 0) { break; }
        got.append(some, 0, static_cast<std::size_t>(size));
    }
    return got;
}

void send_all(int socket, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const auto count = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        require(count > 0, "send");
        sent += static_cast<std::size_t>(count);
    }
}

} // namespace holdfast::test
