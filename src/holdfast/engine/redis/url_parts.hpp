#pragma once
// Parsing of the parts that all Redis URLs have: numbers, percent-encoded text, addresses.

#include "holdfast/net/endpoint.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine::redis {

/// Throws error(invalid_url); `why` begins with the invalid part.
[[noreturn]] void refuse_url(const std::string& why);

template <typename Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Number max) {
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stop != end || value > max) {
        return std::nullopt;
    }
    return value;
}

/// Percent-decodes. `part` names the text in messages; the text itself may be a secret.
[[nodiscard]] std::string decode_part(std::string_view text, const char* part);

/// `host`, `host:port`, `[::1]`, `[::1]:port`. The host may be empty. `where` precedes `host:` and
/// `port:` in messages, e.g. `server 2: `.
[[nodiscard]] net::endpoint parse_address(std::string_view text, std::uint16_t default_port,
                                          const std::string& where = {});

} // namespace holdfast::engine::redis
