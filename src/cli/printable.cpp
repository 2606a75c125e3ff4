#include "cli/printable.hpp"

#include "holdfast/base/quote.hpp"
#include "holdfast/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace holdfast::cli {

namespace {

struct code_range {
    char32_t first;
    char32_t last;
};

/// East Asian letters and pictures that take two columns.
constexpr std::array wide{
    code_range{0x1100, 0x115f},   code_range{0x231a, 0x231b},   code_range{0x2329, 0x232a},
    code_range{0x23e9, 0x23ec},   code_range{0x23f0, 0x23f0},   code_range{0x23f3, 0x23f3},
    code_range{0x25fd, 0x25fe},   code_range{0x2614, 0x2615},   code_range{0x2648, 0x2653},
    code_range{0x267f, 0x267f},   code_range{0x2693, 0x2693},   code_range{0x26a1, 0x26a1},
    code_range{0x26aa, 0x26ab},   code_range{0x26bd, 0x26be},   code_range{0x26c4, 0x26c5},
    code_range{0x26ce, 0x26ce},   code_range{0x26d4, 0x26d4},   code_range{0x26ea, 0x26ea},
    code_range{0x26f2, 0x26f3},   code_range{0x26f5, 0x26f5},   code_range{0x26fa, 0x26fa},
    code_range{0x26fd, 0x26fd},   code_range{0x2705, 0x2705},   code_range{0x270a, 0x270b},
    code_range{0x2728, 0x2728},   code_range{0x274c, 0x274c},   code_range{0x274e, 0x274e},
    code_range{0x2753, 0x2755},   code_range{0x2757, 0x2757},   code_range{0x2795, 0x2797},
    code_range{0x27b0, 0x27b0},   code_range{0x27bf, 0x27bf},   code_range{0x2b1b, 0x2b1c},
    code_range{0x2b50, 0x2b50},   code_range{0x2b55, 0x2b55},   code_range{0x2e80, 0x303e},
    code_range{0x3041, 0x3098},   code_range{0x309b, 0xa4cf},   code_range{0xa960, 0xa97f},
    code_range{0xac00, 0xd7a3},   code_range{0xf900, 0xfaff},   code_range{0xfe10, 0xfe19},
    code_range{0xfe30, 0xfe6f},   code_range{0xff00, 0xff60},   code_range{0xffe0, 0xffe6},
    code_range{0x16fe0, 0x18dff}, code_range{0x1aff0, 0x1b2ff}, code_range{0x1f004, 0x1f004},
    code_range{0x1f0cf, 0x1f0cf}, code_range{0x1f18e, 0x1f18e}, code_range{0x1f191, 0x1f19a},
    code_range{0x1f200, 0x1f320}, code_range{0x1f32d, 0x1f335}, code_range{0x1f337, 0x1f64f},
    code_range{0x1f680, 0x1f6ff}, code_range{0x1f7e0, 0x1f7eb}, code_range{0x1f90c, 0x1f9ff},
    code_range{0x1fa70, 0x1faff}, code_range{0x20000, 0x3fffd},
};

/// Marks that are drawn over the letter before them, and letters of no width.
constexpr std::array combining{
    code_range{0x0300, 0x036f}, code_range{0x0483, 0x0489},   code_range{0x0591, 0x05bd},
    code_range{0x0610, 0x061a}, code_range{0x064b, 0x065f},   code_range{0x0900, 0x0902},
    code_range{0x093c, 0x093c}, code_range{0x0941, 0x0948},   code_range{0x094d, 0x094d},
    code_range{0x0e31, 0x0e31}, code_range{0x0e34, 0x0e3a},   code_range{0x0e47, 0x0e4e},
    code_range{0x1ab0, 0x1aff}, code_range{0x1dc0, 0x1dff},   code_range{0x200b, 0x200d},
    code_range{0x20d0, 0x20ff}, code_range{0x3099, 0x309a},   code_range{0xfe00, 0xfe0f},
    code_range{0xfe20, 0xfe2f}, code_range{0xe0100, 0xe01ef},
};

template <std::size_t Size>
bool is_in(char32_t code, const std::array<code_range, Size>& ranges) noexcept {
    const auto* const found =
        std::partition_point(ranges.begin(), ranges.end(),
                             [code](const code_range& range) { return range.last < code; });
    return found != ranges.end() && code >= found->first;
}

std::size_t columns_of(char32_t code) noexcept {
    if (is_in(code, combining)) { return 0; }
    return is_in(code, wide) ? 2 : 1;
}

/// The letter at the front, as it goes to a terminal of that charset; length 0: it needs escapes.
base::utf8_letter printable_letter(std::string_view text, bool utf8) noexcept {
    const auto out = base::first_letter(text);
    const bool foreign = !utf8 && out.code >= 0x80;
    return out.length == 0 || foreign || base::is_control(out.code) ? base::utf8_letter{} : out;
}

/// `with_backslash`: the letters that get one. Each byte of a letter that cannot be printed becomes
/// an escape: the bytes after the first begin no letter.
std::string escape(std::string_view text, bool utf8, std::string_view with_backslash) {
    std::string out;
    while (!text.empty()) {
        const auto length = printable_letter(text, utf8).length;
        if (length == 0) {
            base::append_escaped_byte(out, text.front());
        } else {
            if (with_backslash.find(text.front()) != std::string_view::npos) { out += '\\'; }
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

const char* charset_variable() noexcept {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr && *value != '\0') { return value; }
    }
    return "";
}

} // namespace

bool locale_is_utf8() noexcept {
    std::string_view locale = charset_variable();
    const auto dot = locale.find('.');
    if (dot == std::string_view::npos) { return false; }
    locale.remove_prefix(dot + 1);
    constexpr std::string_view letters = "utf8";
    std::size_t matched = 0;
    for (const char letter : locale.substr(0, locale.find('@'))) {
        const char small =
            letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        if (small == '-') { continue; }
        if (matched == letters.size() || letters[matched] != small) { return false; }
        ++matched;
    }
    return matched == letters.size();
}

std::string escape_text(std::string_view text, bool utf8) { return escape(text, utf8, {}); }

std::string name_text(std::string_view name, bool utf8) {
    if (escape_text(name, utf8) == name) { return std::string{name}; }
    return "$'" + escape(name, utf8, "'\\") + "'";
}

std::string escape_non_ascii(std::string_view text) {
    std::string out;
    for (const char byte : text) {
        if (static_cast<unsigned char>(byte) < 0x80) {
            out += byte;
        } else {
            base::append_escaped_byte(out, byte);
        }
    }
    return out;
}

std::size_t columns(std::string_view text) noexcept {
    std::size_t out = 0;
    while (!text.empty()) {
        const auto letter = base::first_letter(text);
        out += letter.length == 0 ? 1 : columns_of(letter.code);
        text.remove_prefix(std::max<std::size_t>(letter.length, 1));
    }
    return out;
}

std::string_view cut(std::string_view text, std::size_t most) noexcept {
    std::size_t end = 0;
    for (std::size_t left = most; end < text.size();) {
        const auto letter = base::first_letter(text.substr(end));
        const auto wide_by = letter.length == 0 ? 1 : columns_of(letter.code);
        if (wide_by > left) { break; }
        left -= wide_by;
        end += std::max<std::size_t>(letter.length, 1);
    }
    return text.substr(0, end);
}

} // namespace holdfast::cli
