#include "cli/duration.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace holdfast::cli {

using std::chrono::milliseconds;

namespace {

struct unit {
    std::string_view name;
    double ms;
};

constexpr std::array units{unit{"ms", 1},        unit{"s", 1'000},      unit{"m", 60'000},
                           unit{"h", 3'600'000}, unit{"d", 86'400'000}, unit{"", 1'000},
                           unit{"sec", 1'000},   unit{"min", 60'000}};

} // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
    double number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] =
        std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (failure != std::errc{} || number < 0 || !std::isfinite(number)) { return std::nullopt; }
    const std::string_view unit_name{stop, static_cast<std::size_t>(end - stop)};
    for (const auto& unit : units) {
        if (unit.name != unit_name) { continue; }
        const double ms = number * unit.ms;
        if (ms > 1e15) { return std::nullopt; }
        return milliseconds{static_cast<milliseconds::rep>(std::llround(ms))};
    }
    return std::nullopt;
}

milliseconds parse_duration_option(const std::string& option, const std::string& text) {
    const auto value = parse_duration(text);
    if (!value) {
        throw error{errc::invalid_option,
                    option + ": '" + text + "' is not a duration; write 500ms, 30s, 5m, 2h or 1d"};
    }
    return *value;
}

milliseconds parse_positive_duration(const std::string& option, const std::string& text) {
    const auto out = parse_duration_option(option, text);
    if (out <= milliseconds{0}) {
        throw error{errc::invalid_option,
                    option + ": '" + text + "' must be more than 0; write e.g. 30s"};
    }
    return out;
}

std::string format_duration(milliseconds duration) {
    const auto ms = duration.count();
    if (ms < 1'000) { return std::to_string(ms) + "ms"; }
    if (ms < 10'000 && ms % 1'000 >= 100) {
        return std::to_string(ms / 1'000) + "." + std::to_string(ms % 1'000 / 100) + "s";
    }
    const auto seconds = ms / 1'000;
    std::string out;
    if (seconds >= 86'400) { out += std::to_string(seconds / 86'400) + "d"; }
    if (seconds % 86'400 >= 3'600) { out += std::to_string(seconds % 86'400 / 3'600) + "h"; }
    if (seconds % 3'600 >= 60) { out += std::to_string(seconds % 3'600 / 60) + "m"; }
    if (seconds % 60 != 0) { out += std::to_string(seconds % 60) + "s"; }
    return out;
}

} // namespace holdfast::cli
