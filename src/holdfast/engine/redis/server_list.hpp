#pragma once
// What URLs with several servers have in common: the list of servers, and the map from addresses
// that servers announce to addresses that this client reaches.

#include "holdfast/net/endpoint.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// `host1:port,host2,[::1]:port`. At most `max_servers`, each once. Throws error(invalid_url),
/// which names the server by its place in the list.
[[nodiscard]] std::vector<net::endpoint> parse_servers(std::string_view text,
                                                       std::uint16_t default_port);

inline constexpr std::size_t max_servers = 64;

/// An address as sentinels and nodes of a cluster announce it.
struct announced_address {
    std::string host;
    std::uint16_t port = 0;

    bool operator==(const announced_address&) const = default;
    [[nodiscard]] std::string text() const;
};

/// Replaces announced addresses, where servers are behind NAT or in containers.
///
/// Thread safety: none to change it; it is const after the URL was parsed.
class address_map {
public:
    /// `announced:port=reachable:port,...`. Throws error(invalid_url), which names the option map.
    [[nodiscard]] static address_map parse(std::string_view text);

    /// The address to connect to: itself if it is not in the map.
    [[nodiscard]] net::endpoint translate(std::string_view host, std::uint16_t port) const;

private:
    struct entry {
        net::endpoint announced;
        net::endpoint reachable;
    };
    std::vector<entry> entries_;
};

} // namespace holdfast::engine::redis
