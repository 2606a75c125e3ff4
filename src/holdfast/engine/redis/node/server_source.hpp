#pragma once
// Which server a node connects to.

#include "holdfast/net/endpoint.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

/// What a server says of itself in reply to HELLO.
struct hello {
    std::string_view server;  ///< redis, valkey
    std::string_view version; ///< 7.0.15
    std::string_view mode;    ///< standalone, cluster, sentinel
    std::string_view role;    ///< master, replica
};

/// Why a server is not the right one.
struct rejection {
    std::error_code code;
    std::string reason; ///< follows the server's address in the message
};

/// A topology's word on one node: asked anew for each connection.
class server_source {
public:
    server_source() = default;
    server_source(const server_source&) = delete;
    server_source& operator=(const server_source&) = delete;

    [[nodiscard]] virtual net::endpoint endpoint() = 0;
    /// Empty: the server will do.
    [[nodiscard]] virtual std::optional<rejection> reject(const hello& hello) const = 0;

protected:
    ~server_source() = default;
};

} // namespace holdfast::engine::redis
