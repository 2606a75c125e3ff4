#pragma once
// A name, which may hold any bytes, made fit for a message.

#include <string>
#include <string_view>

namespace holdfast::base {

/// In double quotes; bytes that are not printable ASCII as \xNN; cut after 80 bytes.
[[nodiscard]] std::string quote(std::string_view bytes);

} // namespace holdfast::base
