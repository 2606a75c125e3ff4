#include "quorum/server_set.hpp"

#include "redis/placement.hpp"

namespace holdfast::bench::quorum {

port_list server_set::ports() const {
    port_list out{};
    for (std::size_t i = 0; i < node_count; ++i) { out.at(i) = servers_.at(i).port(); }
    return out;
}

std::string server_set::url(const std::string& more) const {
    std::string hosts;
    for (const auto port : ports()) {
        hosts += (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
    }
    return "redlock://" + hosts + "?rejoin_delay=no" + more;
}

void server_set::unpin() const {
    for (const auto& server : servers_) { place(redis::placement::unpinned, server.pid()); }
}

void server_set::kill_minority() noexcept {
    for (std::size_t i = 0; i < minority; ++i) { servers_.at(i).end(); }
}

void server_set::freeze_minority() const {
    for (std::size_t i = 0; i < minority; ++i) { servers_.at(i).freeze(); }
}

} // namespace holdfast::bench::quorum
