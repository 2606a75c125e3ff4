#pragma once
// The hash slots of Redis Cluster.

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

inline constexpr unsigned slot_count = 16'384;

/// The CRC16 by which Redis hashes keys (XMODEM), without the modulus.
[[nodiscard]] std::uint16_t crc16(std::string_view text, std::uint16_t before = 0) noexcept;

/// The slot of a key: of its first non-empty part in braces, or else of all of it.
[[nodiscard]] unsigned hash_slot(std::string_view key) noexcept;
/// The slot of the key `prefix` + `name`.
[[nodiscard]] unsigned hash_slot(std::string_view prefix, std::string_view name) noexcept;
/// The slot of a native lock's keys, which have the encoded name in braces: see append_encoded.
[[nodiscard]] unsigned native_slot(std::string_view name) noexcept;

/// A number whose digits hash to this slot: for keys that belong to a slot and to no name. The
/// first call takes some milliseconds.
[[nodiscard]] std::string slot_tag(unsigned slot);

} // namespace holdfast::engine::redis
