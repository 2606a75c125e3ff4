#include "holdfast/engine/redis/protocol/redirection.hpp"

#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/url_parts.hpp"

namespace holdfast::engine::redis {

std::optional<redirection> parse_redirection(std::string_view error) {
    constexpr std::string_view moved = "MOVED ";
    constexpr std::string_view ask = "ASK ";
    redirection out;
    if (error.starts_with(moved)) {
        error.remove_prefix(moved.size());
    } else if (error.starts_with(ask)) {
        out.type = redirection::kind::ask;
        error.remove_prefix(ask.size());
    } else {
        return std::nullopt;
    }
    const auto space = error.find(' ');
    const auto colon = error.rfind(':'); // an IPv6 address has no brackets here
    if (space == std::string_view::npos || colon == std::string_view::npos || colon <= space) {
        return std::nullopt;
    }
    const auto slot = parse_number<unsigned>(error.substr(0, space), slot_count - 1);
    const auto port = parse_number<std::uint16_t>(error.substr(colon + 1), 65'535);
    if (!slot || !port || *port == 0) { return std::nullopt; }
    out.slot = *slot;
    out.to = {std::string{error.substr(space + 1, colon - space - 1)}, *port};
    if (out.to.host == "?") { return std::nullopt; } // it has no host name yet
    return out;
}

} // namespace holdfast::engine::redis
