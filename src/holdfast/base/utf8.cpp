#include "holdfast/base/utf8.hpp"

namespace holdfast::base {

utf8_letter first_letter(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const char32_t first = byte(0);
    if (first < 0x80) { return {first, 1}; }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) { return {}; }
    char32_t code = first & (0x7fU >> length);
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xc0U) != 0x80U) { return {}; }
        code = (code << 6U) | (byte(at) & 0x3fU);
    }
    const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (too_long || surrogate || code > 0x10ffff) { return {}; }
    return {code, length};
}

bool is_control(char32_t code) noexcept {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) { return true; }
    const bool breaks_lines = code == 0x2028 || code == 0x2029;
    const bool turns_text = code == 0x061c || code == 0x200e || code == 0x200f ||
                            (code >= 0x202a && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
    return breaks_lines || turns_text || code == 0xfeff;
}

} // namespace holdfast::base
