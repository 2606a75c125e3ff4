#include "holdfast/engine/redis/server_list.hpp"

#include "holdfast/engine/redis/url_parts.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

namespace {

bool is_same(const net::endpoint& address, std::string_view host, std::uint16_t port) {
    return address.port == port && address.host == host;
}

/// Calls `visit(item)` for each part between commas, also for empty ones.
template <typename Visit>
void for_each_item(std::string_view text, Visit visit) {
    while (true) {
        const auto comma = std::min(text.find(','), text.size());
        visit(text.substr(0, comma));
        if (comma == text.size()) { return; }
        text.remove_prefix(comma + 1);
    }
}

net::endpoint parse_mapped(std::string_view text) {
    auto out = parse_address(text, 0, "query: map: ");
    if (out.host.empty() || out.port == 0) {
        refuse_url("query: map: write map=announced:port=reachable:port, several separated by ','");
    }
    return out;
}

} // namespace

std::string announced_address::text() const {
    net::endpoint out;
    out.host = host;
    out.port = port;
    return out.text();
}

std::vector<net::endpoint> parse_servers(std::string_view text, std::uint16_t default_port) {
    std::vector<net::endpoint> out;
    for_each_item(text, [&](std::string_view item) {
        const auto where = "server " + std::to_string(out.size() + 1) + ": ";
        auto server = parse_address(item, default_port, where);
        if (server.host.empty()) { refuse_url(where + "host: missing"); }
        for (const auto& other : out) {
            if (is_same(other, server.host, server.port)) {
                refuse_url(where + server.text() + " is there twice");
            }
        }
        out.push_back(std::move(server));
    });
    if (out.size() > max_servers) {
        refuse_url("host: at most " + std::to_string(max_servers) + " servers");
    }
    return out;
}

address_map address_map::parse(std::string_view text) {
    address_map out;
    for_each_item(text, [&](std::string_view item) {
        const auto equals = item.find('=');
        const auto after = equals == std::string_view::npos ? item.size() : equals + 1;
        entry added{parse_mapped(item.substr(0, equals)), parse_mapped(item.substr(after))};
        for (const auto& other : out.entries_) {
            if (is_same(other.announced, added.announced.host, added.announced.port)) {
                refuse_url("query: map: " + added.announced.text() + " is there twice");
            }
        }
        out.entries_.push_back(std::move(added));
    });
    return out;
}

net::endpoint address_map::translate(std::string_view host, std::uint16_t port) const {
    net::endpoint out;
    out.host = host;
    out.port = port;
    for (const auto& each : entries_) {
        if (is_same(each.announced, host, port)) {
            out.host = each.reachable.host;
            out.port = each.reachable.port;
            break;
        }
    }
    return out;
}

} // namespace holdfast::engine::redis
