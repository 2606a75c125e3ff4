#pragma once
// The text of INFO.

#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// The value of a line `key:value` in INFO's text; empty: there is none.
[[nodiscard]] inline std::string_view info_line(std::string_view text, std::string_view key) {
    const auto at = text.find('\n' + std::string{key} + ':');
    if (at == std::string_view::npos) { return {}; }
    text.remove_prefix(at + key.size() + 2);
    return text.substr(0, text.find_first_of("\r\n"));
}

} // namespace holdfast::engine::redis
