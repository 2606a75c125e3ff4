#pragma once
// One event as one line of text:
//
//   @granted at=81234567 pid=71 thread=1 process=taker-3 name=stock:1001 owner=... token=7 ...
//
// In values every byte but letters, digits and -._:/ is percent-encoded, so `@` only ever begins a
// line. That lets a reader tell a piece that a killed writer left from the whole line after it.

#include "history/event.hpp"

#include <climits>
#include <span>

namespace holdfast::history {

/// Lines are at most this long, newline included; a name of 512 bytes fits however it is encoded.
inline constexpr std::size_t max_line = PIPE_BUF;

/// Writes the event, newline included, and answers the line's length; 0 if it does not fit.
[[nodiscard]] std::size_t to_line(const event& e, std::span<char> out) noexcept;

/// The same for people and tests.
[[nodiscard]] std::string to_line(const event& e);

/// A name as it stands in a line: printable, whatever its bytes are.
[[nodiscard]] std::string encoded(std::string_view bytes);

} // namespace holdfast::history
