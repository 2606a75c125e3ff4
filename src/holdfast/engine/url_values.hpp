#pragma once
// Parses the values that the URLs of several engines have, and refuses wrong ones.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/url.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace holdfast::engine {

/// Throws error(invalid_url); `why` begins with the invalid part.
[[noreturn]] void refuse_url(const std::string& why);

/// Empty: it is no number, or above `max`.
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

/// `30s`, `500ms`, `2m`, `1h`; a number alone is milliseconds. Empty: it is no duration.
[[nodiscard]] std::optional<base::milliseconds> read_duration(std::string_view text) noexcept;

/// The value of a key of the query; null if it is not there.
[[nodiscard]] const std::string* find_value(const url& url, std::string_view key);

/// `yes` or `no`; without the key `out` stays as it is.
void parse_choice(const url& url, const char* key, bool& out);

/// `max_lease`, the longest lease that may be asked for.
[[nodiscard]] std::optional<base::milliseconds> parse_max_lease(const url& url);

} // namespace holdfast::engine
