#pragma once
// The address that a server listens on.

#include "holdfast/base/fd.hpp"

#include <string>
#include <string_view>

namespace holdfast::http {

struct listen_address {
    std::string host; ///< a name or a number, without brackets
    std::string port;

    /// `PORT`, `:PORT` (both: 127.0.0.1), `HOST:PORT` or `[IPv6]:PORT`. Throws
    /// std::invalid_argument with a text that says what is wrong.
    [[nodiscard]] static listen_address parse(std::string_view text);
};

/// A socket that listens there, non-blocking. Throws std::system_error; its text has no address.
[[nodiscard]] base::fd listen_on(const listen_address& address);

/// Whether only this host can reach the socket.
[[nodiscard]] bool is_loopback(int socket) noexcept;

/// The address of a listening socket, e.g. `127.0.0.1:9464`, `[::1]:9464`.
[[nodiscard]] std::string local_address(int socket);

} // namespace holdfast::http
