#pragma once
// Parses the addresses that all Redis URLs have.

#include "holdfast/engine/url_values.hpp"
#include "holdfast/net/endpoint.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// `host`, `host:port`, `[::1]`, `[::1]:port`. The host may be empty. `where` precedes `host:` and
/// `port:` in messages, e.g. `server 2: `.
[[nodiscard]] net::endpoint parse_address(std::string_view text, std::uint16_t default_port,
                                          const std::string& where = {});

} // namespace holdfast::engine::redis
