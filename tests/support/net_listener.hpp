#pragma once
// A server of a test's own, as bare as can be: it listens, accepts, and the test does the rest.

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
    explicit listener(const std::string& where = "127.0.0.1", int backlog = 16);

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    /// The next connection, a socket that blocks; empty: none came.
    [[nodiscard]] base::fd accept(milliseconds within = long_wait) const;

private:
    base::fd socket_;
    std::uint16_t port_ = 0;
};

/// A port of 127.0.0.1 at which nobody listens.
[[nodiscard]] std::uint16_t closed_port();

/// Reads from a socket that blocks until it has `count` bytes, or the peer closes, or the time is
/// over.
[[nodiscard]] std::string receive(int socket, std::size_t count, milliseconds within = long_wait);
void send_all(int socket, const std::string& bytes);

} // namespace holdfast::test
