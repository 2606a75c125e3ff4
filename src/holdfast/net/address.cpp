#include "holdfast/net/address.hpp"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

namespace holdfast::net {

namespace {

void set(int socket, int level, int option, int value) noexcept {
    // What a kernel does not know it does without: none of these changes what is said.
    (void)::setsockopt(socket, level, option, &value, sizeof value);
}

void tune(int socket) noexcept {
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

// A socket that asks for a local port at which nobody listens may be given that very port as its
// own, and then TCP connects it to itself.
bool is_connected_to_itself(int socket) noexcept {
    address here;
    address there;
    here.size = there.size = sizeof here.bytes;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here.bytes), &here.size) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&there.bytes), &there.size) != 0) {
        return false;
    }
    return here.family() != AF_UNIX && here.size == there.size &&
           std::memcmp(&here.bytes, &there.bytes, here.size) == 0;
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

void set_port(address& where, std::uint16_t port) noexcept {
    if (where.family() == AF_INET) {
        reinterpret_cast<sockaddr_in*>(&where.bytes)->sin_port = htons(port);
    } else if (where.family() == AF_INET6) {
        reinterpret_cast<sockaddr_in6*>(&where.bytes)->sin6_port = htons(port);
    }
}

std::optional<address> unix_address(const std::string& path, std::string& why_not) {
    sockaddr_un raw{};
    constexpr std::size_t most = sizeof raw.sun_path - 1;
    if (path.size() > most) {
        why_not = "the path of a unix socket has at most " + std::to_string(most) +
                  " bytes, and this one has " + std::to_string(path.size());
        return std::nullopt;
    }
    if (path.find('\0') != std::string::npos) {
        why_not = "the path of a unix socket cannot hold a zero byte";
        return std::nullopt;
    }
    raw.sun_family = AF_UNIX;
    std::memcpy(raw.sun_path, path.data(), path.size());
    address out;
    out.size = sizeof raw;
    std::memcpy(&out.bytes, &raw, sizeof raw);
    return out;
}

attempt begin_connection(const address& where) noexcept {
    attempt out{base::fd{::socket(where.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)}};
    if (!out.socket) {
        out.error = errno;
        return out;
    }
    if (where.family() != AF_UNIX) { tune(out.socket.get()); }
    const bool at_once = ::connect(out.socket.get(), where.raw(), where.size) == 0;
    out.error = at_once ? outcome_of(out.socket.get()) : errno;
    // Interrupted, it goes on by itself, as when it is in progress.
    if (out.error == EINTR) { out.error = EINPROGRESS; }
    if (out.error != 0 && out.error != EINPROGRESS) { out.socket.reset(); }
    return out;
}

int outcome_of(int socket) noexcept {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) { return errno; }
    if (error == 0 && is_connected_to_itself(socket)) { return ECONNREFUSED; }
    return error;
}

} // namespace holdfast::net
