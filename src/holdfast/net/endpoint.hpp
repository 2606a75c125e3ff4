#pragma once
// Where a server is and how to reach it.

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::net {

struct tls_options {
    bool verify = true;        ///< check the server's certificate and its name
    std::string ca_file{};     ///< PEM; empty: the system's authorities
    std::string certificate{}; ///< PEM, the client's own; empty: none
    std::string private_key{}; ///< PEM; REQUIRES: set exactly if `certificate` is
    std::string server_name{}; ///< for SNI and for the certificate; empty: the host
};

struct endpoint {
    std::string host{}; ///< a name or an address, IPv6 without brackets
    std::uint16_t port = 0;
    std::string unix_path{}; ///< if set, host and port are ignored
    std::optional<tls_options> tls{};

    /// For messages: `127.0.0.1:6379`, `[::1]:6379`, `/run/redis.sock`.
    [[nodiscard]] std::string text() const;
};

} // namespace holdfast::net
