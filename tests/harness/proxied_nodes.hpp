#pragma once
// A proxy before each server of a group whose servers announce their own addresses.

#include "proxy/proxy.hpp"
#include "support/redis_server.hpp"

#include <deque>
#include <string>

namespace holdfast::test {

/// Thread safety: none.
class proxied_nodes {
public:
    explicit proxied_nodes(std::deque<redis_server>& servers) : servers_{servers} {
        for (const auto& server : servers) { proxies_.emplace_back(server.port()); }
    }

    /// &map=...: makes a client that is sent to a server go to its proxy.
    [[nodiscard]] std::string map() const {
        std::string out;
        for (std::size_t at = 0; at < servers_.size(); ++at) {
            out += (at == 0 ? "&map=" : ",") +
                   ("127.0.0.1:" + std::to_string(servers_[at].port())) +
                   "=127.0.0.1:" + std::to_string(proxies_[at].port());
        }
        return out;
    }
    /// REQUIRES: it is one of the servers.
    [[nodiscard]] proxy& before(const redis_server& server) {
        std::size_t at = 0;
        while (&servers_[at] != &server) { ++at; }
        return proxies_[at];
    }

private:
    std::deque<redis_server>& servers_;
    std::deque<proxy> proxies_;
};

} // namespace holdfast::test
