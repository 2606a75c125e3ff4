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

struct socket_address {
    sockaddr_storage bytes{};
    socklen_t size = 0;
    template <class Raw>
    explicit socket_address(const Raw& raw) : size{sizeof raw} {
        std::memcpy(&bytes, &raw, sizeof raw);
    }
    sockaddr* raw() { return reinterpret_cast<sockaddr*>(&bytes); }
};

socket_address address_of(const std::string& address) {
    if (address.find('/') != std::string::npos) {
        sockaddr_un path{};
        path.sun_family = AF_UNIX;
        if (address.size() >= sizeof path.sun_path) { throw std::length_error{address}; }
        std::memcpy(path.sun_path, address.data(), address.size());
        return socket_address{path};
    }
    if (address.find(':') != std::string::npos) {
        sockaddr_in6 ipv6{};
        ipv6.sin6_family = AF_INET6;
        ::inet_pton(AF_INET6, address.c_str(), &ipv6.sin6_addr);
        return socket_address{ipv6};
    }
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ::inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr);
    return socket_address{ipv4};
}

bool readable(int descriptor, milliseconds within) {
    pollfd poll_entry{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&poll_entry, 1, static_cast<int>(within.count())) > 0;
}

void require(bool succeeded, const char* function) {
    if (!succeeded) { throw std::system_error{errno, std::generic_category(), function}; }
}

} // namespace

listener::listener(const std::string& address, int backlog) {
    socket_address at = address_of(address);
    socket_ = base::fd{::socket(at.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    require(static_cast<bool>(socket_), "socket");
    require(::bind(socket_.get(), at.raw(), at.size) == 0, "bind");
    require(::listen(socket_.get(), backlog) == 0, "listen");
    require(::getsockname(socket_.get(), at.raw(), &at.size) == 0, "getsockname");
    // The port has the same offset in IPv4 and IPv6 addresses.
    if (at.bytes.ss_family != AF_UNIX) {
        port_ = ntohs(reinterpret_cast<sockaddr_in*>(&at.bytes)->sin_port);
    }
}

base::fd listener::accept(milliseconds within) const {
    if (!readable(socket_.get(), within)) { return {}; }
    base::fd out{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    // Bytes that a test sends must arrive at once.
    const int enabled = 1;
    if (port_ != 0) { ::setsockopt(out.get(), IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof enabled); }
    return out;
}

std::uint16_t closed_port() { return listener{}.port(); }

std::string receive(int socket, std::size_t count, milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    std::string received;
    std::string buffer(65536, '\0');
    while (received.size() < count) {
        const auto left = end - std::chrono::steady_clock::now();
        const auto wait = std::chrono::duration_cast<milliseconds>(left);
        if (wait.count() <= 0 || !readable(socket, wait)) { break; }
        const auto max_size = std::min(buffer.size(), count - received.size());
        const auto size = ::recv(socket, buffer.data(), max_size, 0);
        if (size <= 0) { break; }
        received.append(buffer, 0, static_cast<std::size_t>(size));
    }
    return received;
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
