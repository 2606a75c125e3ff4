#include "holdfast/base/quote.hpp"

#include "holdfast/base/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::base {

void append_escaped_byte(std::string& out, char character) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(character);
    out += "\\x";
    out += hex[byte >> 4U];
    out += hex[byte & 0x0fU];
}

std::string quote(std::string_view bytes) {
    constexpr std::size_t longest = 80;
    std::string out = "\"";
    std::size_t at = 0;
    while (at < bytes.size()) {
        const auto letter = first_letter(bytes.substr(at));
        const auto length = std::max<std::size_t>(letter.length, 1);
        if (at + length > longest) { break; }
        if (letter.length == 0 || is_control(letter.code)) {
            for (std::size_t end = at + length; at < end; ++at) {
                append_escaped_byte(out, bytes[at]);
            }
            continue;
        }
        if (letter.code == '"' || letter.code == '\\') { out += '\\'; }
        out += bytes.substr(at, length);
        at += length;
    }
    out += at < bytes.size() ? "...\"" : "\"";
    return out;
}

} // namespace holdfast::base
