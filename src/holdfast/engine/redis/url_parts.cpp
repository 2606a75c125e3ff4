#include "holdfast/engine/redis/url_parts.hpp"

namespace holdfast::engine::redis {

namespace {

std::uint16_t parse_port(std::string_view text, const std::string& where) {
    const auto port = parse_number<std::uint16_t>(text, 65'535);
    if (!port || *port == 0) { refuse_url(where + "port: must be a number from 1 to 65535"); }
    return *port;
}

} // namespace

net::endpoint parse_address(std::string_view text, std::uint16_t default_port,
                            const std::string& where) {
    net::endpoint out;
    out.port = default_port;
    if (!text.empty() && text.front() == '[') {
        const auto close = text.find(']');
        if (close == std::string_view::npos) { refuse_url(where + "host: '[' without ']'"); }
        out.host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        if (text.empty()) { return out; }
        if (text.front() != ':') { refuse_url(where + "host: only :port may follow ']'"); }
        out.port = parse_port(text.substr(1), where);
        return out;
    }
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
        refuse_url(where + "host: write an IPv6 address in brackets, as in redis://[::1]:6379");
    }
    out.host = decode_part(text.substr(0, colon), "host");
    if (colon != std::string_view::npos) { out.port = parse_port(text.substr(colon + 1), where); }
    return out;
}

} // namespace holdfast::engine::redis
