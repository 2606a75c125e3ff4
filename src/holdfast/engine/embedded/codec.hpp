#pragma once
// The encoding of records and waiters in the file: fixed fields, little-endian, after a version
// byte. Decoding checks everything.

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

/// Replaces the contents of `out`. `boot` counts the boots of the machine: see `decode_record`.
void encode(const admission::record& record, std::uint32_t boot, buffer& out);

/// Empty if it is damaged. A record of an earlier boot is returned without holds and waiters: they
/// ended with that boot. Its tokens stay.
[[nodiscard]] std::optional<admission::record> decode_record(bytes from, std::uint32_t boot);

/// Without owner and alive_until, which have their own columns.
void encode(const admission::waiter& waiter, buffer& out);
[[nodiscard]] bool decode_waiter(bytes from, admission::waiter& out);

/// An owner as the key of a row.
using owner_key = std::array<std::byte, 24>;
[[nodiscard]] owner_key encode_owner(const base::owner_id& owner) noexcept;
[[nodiscard]] std::optional<base::owner_id> decode_owner(bytes key) noexcept;

} // namespace holdfast::engine::embedded
