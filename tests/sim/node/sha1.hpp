#pragma once
// The names of scripts on a server.

#include <string>
#include <string_view>

namespace holdfast::sim {

/// In hexadecimal digits.
[[nodiscard]] std::string sha1_of(std::string_view text);

} // namespace holdfast::sim
