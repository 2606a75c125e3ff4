#pragma once
// A blocking HTTP client over a real socket, for the tests of our servers.

#include "holdfast/base/fd.hpp"

#include <string>
#include <string_view>

namespace holdfast::test {

/// A socket connected to `HOST:PORT` (numbers), whose recv() waits for 10 s at most; none if
/// nobody listens there.
[[nodiscard]] base::fd connect_to(const std::string& address);

/// Connects to `HOST:PORT` (numbers), sends the bytes and returns all that comes until the peer
/// closes; empty if it cannot connect. Waits for 10 s at most.
[[nodiscard]] std::string http_exchange_with(const std::string& address, std::string_view bytes);

/// The response to GET, with its head.
[[nodiscard]] std::string http_get(const std::string& address, const std::string& path);

} // namespace holdfast::test
