#pragma once
// Errors by which a node of a cluster names another one.

#include "holdfast/engine/redis/server_list.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::engine::redis {

/// The server has certainly not executed the request.
struct redirection {
    enum class kind : std::uint8_t {
        moved, ///< the slot belongs to the other node
        ask,   ///< the slot is being moved there, and this request must go there after ASKING
    };
    kind type{};
    unsigned slot = 0;
    announced_address to{}; ///< an empty host: that of the server which sent it
};

/// `MOVED 3999 127.0.0.1:6381`, `ASK 3999 ::1:6381`. Empty: another error, or one that names no
/// port.
[[nodiscard]] std::optional<redirection> parse_redirection(std::string_view error);
/// Also one that names no address, so that it cannot be followed.
[[nodiscard]] inline bool is_redirection(std::string_view error) noexcept {
    return error.starts_with("MOVED ") || error.starts_with("ASK ");
}

} // namespace holdfast::engine::redis
