#include "holdfast/net/address.hpp"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

namespace holdfast::net {

namespace {

void set_option(int socket, int level, int option, int value) noexcept {
    // An option that the kernel does not know is skipped: all of them are optimisations.
    (void)::setsockopt(socket, level, option, &value, sizeof value);
}

void configure_tcp(int socket) noexcept {
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// If nobody listens at a local port, the kernel may choose that port as the source port of the new
// socket, and TCP then connects the socket to itself.
bool is_connected_to_itself(int socket) noexcept {
    address local;
    address peer;
    local.size = peer.size = sizeof local.bytes;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&local.bytes), &local.size) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer.bytes), &peer.size) != 0) {
        return false;
    }
    return local.family() != AF_UNIX && local.size == peer.size &&
           std::memcmp(&local.bytes, &peer.bytes, local.size) == 0;
}

} // namespace

std::optional<address> numeric_address(const std::string& host, std::uint16_t port) {
    if (host.find('\0') != std::string::npos) { return std::nullopt; }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) { return std::nullopt; }
    address out;
    out.size = found->ai_addrlen;
    std::memcpy(&out.bytes, found->ai_addr, found->ai_addrlen);
    ::freeaddrinfo(found);
    set_port(out, port);
    return out;
}

void set_port(address& address, std::uint16_t port) noexcept {
    if (address.family() == AF_INET) {
        reinterpret_cast<sockaddr_in*>(&address.bytes)->sin_port = htons(port);
    } else if (address.family() == AF_INET6) {
        reinterpret_cast<sockaddr_in6*>(&address.bytes)->sin6_port = htons(port);
    }
}

std::optional<address> unix_address(const std::string& path, std::string& failure) {
    sockaddr_un raw{};
    constexpr std::size_t longest = sizeof raw.sun_path - 1;
    if (path.size() > longest) {
        failure = "the path of a unix socket has at most " + std::to_string(longest) +
                  " bytes, and this one has " + std::to_string(path.size());
        return std::nullopt;
    }
    if (path.find('\0') != std::string::npos) {
        failure = "the path of a unix socket cannot hold a zero byte";
        return std::nullopt;
    }
    raw.sun_family = AF_UNIX;
    std::memcpy(raw.sun_path, path.data(), path.size());
    address out;
    out.size = sizeof raw;
    std::memcpy(&out.bytes, &raw, sizeof raw);
    return out;
}

connection_attempt begin_connection(const address& address) noexcept {
    connection_attempt out{
        base::fd{::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)}};
    if (!out.socket) {
        out.error = errno;
        return out;
    }
    if (address.family() != AF_UNIX) { configure_tcp(out.socket.get()); }
    const bool at_once = ::connect(out.socket.get(), address.raw(), address.size) == 0;
    out.error = at_once ? connect_error(out.socket.get()) : errno;
    // An interrupted connect() continues in the kernel.
    if (out.error == EINTR) { out.error = EINPROGRESS; }
    if (out.error != 0 && out.error != EINPROGRESS) { out.socket.reset(); }
    return out;
}

int connect_error(int socket) noexcept {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) { return errno; }
    if (error == 0 && is_connected_to_itself(socket)) { return ECONNREFUSED; }
    return error;
}

} // namespace holdfast::net
