#include "cli/once_result.hpp"

#include <charconv>
#include <system_error>

namespace holdfast::cli {

std::optional<once_result> parse_once_result(std::string_view text) {
    once_result out;
    const auto* const end = text.data() + text.size();
    const auto [mark, failure] = std::from_chars(text.data(), end, out.code);
    if (failure != std::errc{} || end - mark < 2 || mark[1] != '\n') { return std::nullopt; }
    if (*mark != 'c' && *mark != 't') { return std::nullopt; }
    out.is_truncated = *mark == 't';
    out.output = {mark + 2, end};
    return out;
}

std::string once_result_text(int code, bool is_truncated, const std::string& output) {
    return std::to_string(code) + (is_truncated ? "t\n" : "c\n") + output;
}

} // namespace holdfast::cli
