#pragma once
// An address that connect() understands, and a socket that is on its way there.

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

/// Empty: the host is not a numeric address, so it is a name. Asks nobody.
[[nodiscard]] std::optional<address> numeric_address(const std::string& host, std::uint16_t port);

/// The same address with another port; IPv4 and IPv6 only.
void set_port(address& where, std::uint16_t port) noexcept;

/// Empty: `why_not` says why it cannot be the path of a socket.
[[nodiscard]] std::optional<address> unix_address(const std::string& path, std::string& why_not);

/// A connection that was begun, not necessarily made: poll for writing, then ask `outcome_of`.
struct attempt {
    base::fd socket{};
    int error = 0; ///< EINPROGRESS: not yet known; 0: connected; else there is no socket
};

/// Never blocks. A TCP socket has no delay and notices within about half a minute of silence that
/// its peer is gone.
[[nodiscard]] attempt begin_connection(const address& where) noexcept;

/// 0 if a socket that became writable is connected, else why not.
[[nodiscard]] int outcome_of(int socket) noexcept;

} // namespace holdfast::net
