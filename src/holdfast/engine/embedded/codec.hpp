#pragma once
// How a name's record and a waiter are written in the file: a few fixed fields, little-endian, with
// a version byte in front. Decoding trusts nothing.

#include "holdfast/engine/admission/queue.hpp"
#include "holdfast/engine/admission/record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace holdfast::engine::embedded {

using bytes = std::span<const std::byte>;
using buffer = std::vector<std::byte>;

/// `boot` counts the boots of the machine, see `decode`. Replaces what `out` held.
void encode(const admission::record& record, std::uint32_t boot, buffer& out);

/// Nothing if it is damaged. A record of an earlier boot comes without its holds and waiters: they
/// ended with that boot, its tokens did not.
[[nodiscard]] std::optional<admission::record> decode_record(bytes from, std::uint32_t boot);

/// Without owner and alive_until, which are columns of their own.
void encode(const admission::waiter& waiter, buffer& out);
[[nodiscard]] bool decode_waiter(bytes from, admission::waiter& out);

/// An owner as a key.
using owner_key = std::array<std::byte, 24>;
[[nodiscard]] owner_key key_of(const base::owner_id& owner) noexcept;
[[nodiscard]] std::optional<base::owner_id> owner_of(bytes key) noexcept;

} // namespace holdfast::engine::embedded
