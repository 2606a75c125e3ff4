#include "holdfast/engine/redis/url_parts.hpp"

#include <holdfast/error.hpp>

namespace holdfast::engine::redis {

namespace {

std::uint16_t parse_port(std::string_view text, const std::string& where) {
    const auto port = parse_number<std::uint16_t>(text, 65'535);
    if (!port || *port == 0) { refuse_url(where + "port: must be a number from 1 to 65535"); }
    return *port;
}

} // namespace

void refuse_url(const std::string& why) { throw error{errc::invalid_url, "URL: " + why}; }

std::string decode_part(std::string_view text, const char* part) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        unsigned value = 0;
        const auto digits = text.substr(at + 1, 2);
        const auto* const end = digits.data() + digits.size();
        const auto [stop, failure] = std::from_chars(digits.data(), end, value, 16);
        if (digits.size() != 2 || failure != std::errc{} || stop != end) {
            refuse_url(std::string{part} + ": '%' needs two hexadecimal digits after it; write a "
                                           "percent sign as %25");
        }
        out += static_cast<char>(value);
        at += 2;
    }
    return out;
}

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
