#include "holdfast/base/quote.hpp"

#include <cstddef>

namespace holdfast::base {

std::string quote(std::string_view bytes) {
    constexpr std::size_t longest = 80;
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char character : bytes.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte >= 0x7f) {
            out += "\\x";
            out += hex[byte >> 4U];
            out += hex[byte & 0x0fU];
        } else {
            if (character == '"' || character == '\\') { out += '\\'; }
            out += character;
        }
    }
    out += bytes.size() > longest ? "...\"" : "\"";
    return out;
}

} // namespace holdfast::base
