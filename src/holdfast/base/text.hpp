#pragma once
// Text of ASCII letters, and percent-encoded text.

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::base {

[[nodiscard]] char to_lower(char letter) noexcept;
[[nodiscard]] std::string lower_case(std::string text);

/// `a%20b` as `a b`. Null if two hexadecimal digits are missing after a '%'.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

} // namespace holdfast::base
