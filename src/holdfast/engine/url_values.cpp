#include "holdfast/engine/url_values.hpp"

#include "holdfast/base/text.hpp"

#include <holdfast/error.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace holdfast::engine {

void refuse_url(const std::string& why) { throw error{errc::invalid_url, "URL: " + why}; }

std::string decode_part(std::string_view text, const char* part) {
    auto out = base::percent_decode(text);
    if (!out) {
        refuse_url(std::string{part} +
                   ": '%' needs two hexadecimal digits after it; write a percent sign as %25");
    }
    return std::move(*out);
}

std::optional<base::milliseconds> read_duration(std::string_view text) noexcept {
    constexpr std::int64_t longest = 1'000'000'000;
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || value < 0 || value > longest) { return std::nullopt; }
    const std::string_view unit{stop, static_cast<std::size_t>(end - stop)};
    if (unit.empty() || unit == "ms") { return base::milliseconds{value}; }
    if (unit == "s") { return std::chrono::seconds{value}; }
    if (unit == "m") { return std::chrono::minutes{value}; }
    if (unit == "h") { return std::chrono::hours{value}; }
    return std::nullopt;
}

const std::string* find_value(const url& url, std::string_view key) {
    const auto found = url.query.find(key);
    return found == url.query.end() ? nullptr : &found->second;
}

void parse_choice(const url& url, const char* key, bool& out) {
    const auto* const text = find_value(url, key);
    if (text == nullptr) { return; }
    if (*text != "yes" && *text != "no") {
        refuse_url(std::string{"query: "} + key + ": must be yes or no");
    }
    out = *text == "yes";
}

std::optional<base::milliseconds> parse_max_lease(const url& url) {
    const auto* const text = find_value(url, "max_lease");
    if (text == nullptr) { return std::nullopt; }
    const auto value = read_duration(*text);
    if (!value || *value < limits::least_lease || *value > limits::longest_lease) {
        refuse_url("query: max_lease: must be a duration from 100ms to 24h, for example 30s");
    }
    return value;
}

} // namespace holdfast::engine
