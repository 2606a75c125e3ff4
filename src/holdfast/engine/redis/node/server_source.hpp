#pragma once
// The address of the server that a node connects to.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"
#include "holdfast/net/endpoint.hpp"

#include <cstdint>
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

/// When to connect: after the pause that follows a failure, or without it.
enum class connect_when : std::uint8_t { due, at_once };

/// One per node, or per link to sentinels and to cluster nodes; called for each new connection.
class server_source {
public:
    server_source() = default;
    server_source(const server_source&) = delete;
    server_source& operator=(const server_source&) = delete;

    /// Where the next connection goes. Empty: not known yet; the topology searches, and connects
    /// the node when it knows.
    [[nodiscard]] virtual std::optional<net::endpoint> endpoint(base::instant now,
                                                                connect_when when) = 0;
    /// For messages, while there is no connection: `Redis at 127.0.0.1:6379`.
    [[nodiscard]] virtual std::string server() const = 0;
    /// Why there is no endpoint; empty: there is one.
    [[nodiscard]] virtual std::string why_no_endpoint() const { return {}; }
    /// What messages call a server, before ` at ADDRESS`.
    [[nodiscard]] virtual const char* kind() const noexcept { return "Redis"; }
    /// An error that the server sent during the greeting.
    [[nodiscard]] virtual server_error explain(std::string_view text,
                                               const std::string& address) const {
        return parse_server_error(text, address);
    }
    /// Empty: the server can be used.
    [[nodiscard]] virtual std::optional<rejection> reject(const hello& hello) const = 0;

protected:
    ~server_source() = default;
};

} // namespace holdfast::engine::redis
