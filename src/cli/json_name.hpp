#pragma once
// A lock's name in JSON, which has no bytes that are not UTF-8.

#include <string>
#include <string_view>

namespace holdfast::cli {

/// `"name": "..."`, and `, "name_base64": "..."` if the name is not UTF-8: two such names may have
/// the same text.
[[nodiscard]] std::string json_name(std::string_view name);
/// The bytes in base64; empty if they are UTF-8.
[[nodiscard]] std::string base64_unless_utf8(std::string_view name);

} // namespace holdfast::cli
