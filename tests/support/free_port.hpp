#pragma once
// A port for a server that a test starts.

#include <cstdint>

namespace holdfast::test {

/// A port of 127.0.0.1 on which nobody listens now; another process may bind it first, so be ready
/// to try another. It is below the range for outgoing connections: no such connection can occupy it
/// while its server restarts, and a client that retries does not connect to itself.
[[nodiscard]] std::uint16_t free_port();

} // namespace holdfast::test
