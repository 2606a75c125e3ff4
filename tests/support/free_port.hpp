#pragma once
// A port for a server that a test starts.

#include <cstdint>

namespace holdfast::test {

/// A port of 127.0.0.1 that nobody listened on a moment ago: whoever binds it must be ready to try
/// another. From below the range that the kernel takes for outgoing connections, so that none of
/// these sits on it while its server is restarted, and a client that tries again and again while
/// nobody listens does not end up connected to itself.
[[nodiscard]] std::uint16_t free_port();

} // namespace holdfast::test
