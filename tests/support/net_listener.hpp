#pragma once
// A listening socket for a test, which does the rest itself.

#include "holdfast/base/fd.hpp"
#include "support/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::test {

class listener {
public:
    /// On a free port of a loopback address, `127.0.0.1` or `::1`; or at a path, if it has a slash.
    /// Throws std::system_error, e.g. if the machine has no IPv6.
    explicit listener(const std::string& address = "127.0.0.1", int backlog = 16);

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    /// Accepts the next connection, as a blocking socket; empty if none comes.
    [[nodiscard]] base::fd accept(milliseconds within = long_wait) const;

private:
    base::fd socket_;
    std::uint16_t port_ = 0;
};

/// A port of 127.0.0.1 at which nobody listens.
[[nodiscard]] std::uint16_t closed_port();

/// Reads from a blocking socket until there are `count` bytes, the peer closes, or the time-out
/// ends.
[[nodiscard]] std::string receive(int socket, std::size_t count, milliseconds within = long_wait);
void send_all(int socket, const std::string& bytes);

} // namespace holdfast::test
