#pragma once
// The encoding of numbers, owners and names in the native layout.

#include "holdfast/base/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

/// Exactly `width` digits, with zeros in front.
void append_padded(std::string& out, std::uint64_t value, std::size_t width);

[[nodiscard]] std::string hex_of(const base::client_id& client);
void append_hex(std::string& out, std::uint64_t value); ///< 16 digits

/// An owner: 32 hexadecimal digits of the client, 16 of the number.
[[nodiscard]] std::string wire_owner(const base::owner_id& owner);
[[nodiscard]] std::optional<base::owner_id> read_owner(std::string_view text);

/// A name within braces: a brace in it would end the hash tag early and spread the name's keys over
/// slots, so braces and `%` are percent-encoded.
void append_encoded(std::string& out, std::string_view name);
[[nodiscard]] bool is_encoded(char c) noexcept;
[[nodiscard]] std::array<char, 3> encoded(char c) noexcept; ///< of one that is
[[nodiscard]] std::optional<std::string> decode_name(std::string_view text);

/// Escapes the wildcards of SCAN's MATCH.
[[nodiscard]] std::string literally(std::string_view text);

} // namespace holdfast::engine::redis
