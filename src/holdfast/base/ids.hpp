#pragma once
// The ids of clients and of their requests.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::base {

struct client_id {
    std::array<std::uint8_t, 16> bytes{};
    auto operator<=>(const client_id&) const = default;
    /// A version 4 UUID from the kernel's random numbers.
    [[nodiscard]] static client_id make() noexcept;
    [[nodiscard]] static std::optional<client_id> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const;
};

/// Identifies one request for a lock, from acquire to release. A client never reuses a number, so
/// an engine recognises a resent acquire or release by its owner.
struct owner_id {
    client_id client;
    std::uint64_t number = 0;
    auto operator<=>(const owner_id&) const = default;
    [[nodiscard]] static std::optional<owner_id> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const; ///< `<client uuid>:<number>`
};

} // namespace holdfast::base
