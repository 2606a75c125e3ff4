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
/// 16 digits, over what is there. REQUIRES: value < 10^16.
void write_padded(char* to, std::uint64_t value) noexcept;

inline constexpr std::size_t client_digits = 32;
[[nodiscard]] std::string hex_of(const base::client_id& client);
void write_client(char* to, const base::client_id& client); ///< the same, over what is there
void append_hex(std::string& out, std::uint64_t value);     ///< 16 digits
void write_hex(char* to, std::uint64_t value) noexcept;     ///< likewise, over what is there

/// An owner: 32 hexadecimal digits of the client, 16 of the number.
[[nodiscard]] std::string wire_owner(const base::owner_id& owner);
[[nodiscard]] std::optional<base::owner_id> read_owner(std::string_view text);

/// A name within braces: a brace in it would end the hash tag early and spread the name's keys over
/// slots, so braces and `%` are percent-encoded.
void append_encoded(std::string& out, std::string_view name);
[[nodiscard]] bool is_encoded(char c) noexcept;
[[nodiscard]] std::array<char, 3> encoded(char c) noexcept; ///< of one that is

/// Escapes the wildcards of SCAN's MATCH.
[[nodiscard]] std::string literally(std::string_view text);

} // namespace holdfast::engine::redis
