#pragma once
// A request to an HTTP server, and the encodings in its target.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// Names one connection of a server; never used again.
using exchange_id = std::uint64_t;

struct header {
    std::string name; ///< in lower case, if it was received
    std::string value;
};

struct http_request {
    exchange_id exchange = 0;
    std::string method{};
    std::string path{};  ///< without its query, as it was sent
    std::string query{}; ///< without the question mark
    std::vector<header> headers{};
    std::string body{};

    /// The value of a header; empty if there is none. `name` is in lower case.
    [[nodiscard]] std::string_view header_value(std::string_view name) const noexcept;
    /// How often a header occurs.
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
};

/// Parses what comes before the empty line. Empty: this is not HTTP/1.
[[nodiscard]] std::optional<http_request> parse_head(std::string_view head);

/// A field of `a=1&b=%20`, decoded; empty if there is none, or if its encoding is wrong.
[[nodiscard]] std::optional<std::string> form_value(std::string_view form, std::string_view name);

/// Any bytes as letters that a target or a form can have.
[[nodiscard]] std::string percent_encode(std::string_view bytes);

} // namespace holdfast::http
