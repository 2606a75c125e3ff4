#pragma once
// A socket address, and a non-blocking connection attempt to it.

#include "holdfast/base/fd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace holdfast::net {

struct address {
    sockaddr_storage bytes{};
    socklen_t size = 0;

    [[nodiscard]] int family() const noexcept { return bytes.ss_family; }
    [[nodiscard]] const sockaddr* raw() const noexcept {
        return reinterpret_cast<const sockaddr*>(&bytes);
    }
};

/// Empty if the host is a name and not a numeric address. Sends no DNS query.
[[nodiscard]] std::optional<address> numeric_address(const std::string& host, std::uint16_t port);

/// Sets the port of an IPv4 or IPv6 address.
void set_port(address& address, std::uint16_t port) noexcept;

/// Empty if the path cannot be that of a socket; `failure` is set to the reason.
[[nodiscard]] std::optional<address> unix_address(const std::string& path, std::string& failure);

/// A connection that is being established: poll for writing, then call `connect_error`.
struct connection_attempt {
    base::fd socket{};
    int error = 0; ///< 0: connected; EINPROGRESS: not yet; otherwise it failed: no socket
};

/// Never blocks. A TCP socket gets TCP_NODELAY and keepalives that detect a dead peer after 30 s.
[[nodiscard]] connection_attempt begin_connection(const address& address) noexcept;

/// For a socket that became writable: 0 if it is connected, otherwise the errno.
[[nodiscard]] int connect_error(int socket) noexcept;

} // namespace holdfast::net
