#pragma once
// Durations as people write them: 500ms, 30s, 1.5m, 2h, 1d; a bare number is seconds.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The value of an option; throws error(invalid_option) that names the option.
[[nodiscard]] std::chrono::milliseconds parse_duration_option(const std::string& option,
                                                              const std::string& text);
/// The same, and the value must be more than 0.
[[nodiscard]] std::chrono::milliseconds parse_positive_duration(const std::string& option,
                                                                const std::string& text);

/// For messages: 90 s -> "1m30s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

} // namespace holdfast::cli
