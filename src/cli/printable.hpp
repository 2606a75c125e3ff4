#pragma once
// Names and notes of any bytes as text: what the terminal shows, and how many columns it takes.

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// Whether the locale of the environment (LC_ALL, else LC_CTYPE, else LANG) has the charset UTF-8.
[[nodiscard]] bool locale_is_utf8() noexcept;

/// Text of another process, in full: control characters and bytes that are no text in the charset
/// become \xNN.
[[nodiscard]] std::string escape_text(std::string_view text, bool utf8 = locale_is_utf8());

/// A name as a cell of a table: as it is; or, if escape_text() would change it, `$'...'`, which
/// bash, zsh and ksh read as the name.
[[nodiscard]] std::string name_text(std::string_view name, bool utf8 = locale_is_utf8());

/// The bytes that are no ASCII become \xNN.
[[nodiscard]] std::string escape_non_ascii(std::string_view text);

/// How many columns of a terminal printable text takes: two for a wide letter, none for a
/// combining one.
[[nodiscard]] std::size_t columns(std::string_view text) noexcept;
/// Its beginning, which takes `most` columns at most.
[[nodiscard]] std::string_view cut(std::string_view text, std::size_t most) noexcept;

} // namespace holdfast::cli
