#pragma once
// Reads UTF-8: which bytes are a letter, and which of these may go to a terminal as they are.

#include <cstddef>
#include <string_view>

namespace holdfast::base {

struct utf8_letter {
    char32_t code = 0;
    std::size_t length = 0; ///< of the sequence, in bytes; 0: the first byte begins no valid one
};

/// The first letter of a text that is not empty.
[[nodiscard]] utf8_letter first_letter(std::string_view text) noexcept;

/// Whether the code point is a control character, or one that changes the order or the lines of
/// the text around it.
[[nodiscard]] bool is_control(char32_t code) noexcept;

} // namespace holdfast::base
