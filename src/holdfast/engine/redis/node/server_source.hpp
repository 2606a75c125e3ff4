#pragma once
// The address of the server that a node connects to.

#include "holdfast/net/endpoint.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

/// The reply of a server to HELLO.
struct hello {
    std::string_view server;  ///< redis, valkey
    std::string_view version; ///< 7.0.15
    std::string_view mode;    ///< standalone, cluster, sentinel
    std::string_view role;    ///< master, replica
};

/// Why a server cannot be used.
struct rejection {
    std::error_code code;
    std::string reason; ///< follows the server's address in the message
};

/// Implemented by a topology for each node; called for each new connection.
class server_source {
public:
    server_source() = default;
    server_source(const server_source&) = delete;
    server_source& operator=(const server_source&) = delete;

    [[nodiscard]] virtual net::endpoint endpoint() = 0;
    /// Empty: the server can be used.
    [[nodiscard]] virtual std::optional<rejection> reject(const hello& hello) const = 0;

protected:
    ~server_source() = default;
};

} // namespace holdfast::engine::redis
