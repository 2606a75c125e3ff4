#pragma once
// Quotes a name, which may hold any bytes, for a message.

#include <string>
#include <string_view>

namespace holdfast::base {

/// Returns `bytes` in double quotes. Bytes that are no UTF-8, and control characters, become \xNN;
/// the text is cut after 80 bytes.
[[nodiscard]] std::string quote(std::string_view bytes);

/// Appends \xNN.
void append_escaped_byte(std::string& out, char character);

} // namespace holdfast::base
