#pragma once
// Which servers know the scripts and ACLs that Holdfast needs.

#include <string_view>

namespace holdfast::engine::redis {

inline constexpr const char* needed_server = "Holdfast needs Redis 7.0 or later, or Valkey";
/// Follows the name of the server.
inline constexpr const char* no_resp3 =
    " does not speak RESP3 (HELLO 3); Holdfast needs Redis 7.0 or later, or Valkey";

/// `product` and `version` as the server names them, e.g. `redis` and `7.0.15`.
[[nodiscard]] bool is_too_old(std::string_view product, std::string_view version) noexcept;

} // namespace holdfast::engine::redis
