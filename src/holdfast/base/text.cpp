#include "holdfast/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::base {

char to_lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), to_lower);
    return text;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        unsigned value = 0;
        const auto digits = text.substr(at + 1, 2);
        const auto* const end = digits.data() + digits.size();
        const auto [stop, failure] = std::from_chars(digits.data(), end, value, 16);
        if (digits.size() != 2 || failure != std::errc{} || stop != end) { return std::nullopt; }
        out += static_cast<char>(value);
        at += 2;
    }
    return out;
}

} // namespace holdfast::base
