#include "holdfast/engine/redis/topology/cluster_node.hpp"

#include <holdfast/error.hpp>

namespace holdfast::engine::redis {

net::endpoint cluster_node::reachable() const {
    auto out = options_.map.translate(address_.host, address_.port);
    out.tls = options_.server.tls;
    return out;
}

void cluster_node::use(const announced_address& address, bool replaces) {
    if (!retired_) { return; }
    address_ = address;
    retired_ = false;
    down_ = false;
    replaces_ = replaces;
    node_.end_pause();
}

void cluster_node::retire() {
    if (std::exchange(retired_, true)) { return; }
    // An answer of a former master must not count any more: what is in flight is unknown.
    node_.break_off("Redis at " + address_.text() + ": it serves no slots of the cluster any more");
}

std::optional<net::endpoint> cluster_node::endpoint(base::instant /*now*/, connect_when /*when*/) {
    if (retired_) { return std::nullopt; }
    return reachable();
}

std::string cluster_node::server() const { return "Redis at " + reachable().text(); }

std::optional<rejection> cluster_node::reject(const hello& hello) const {
    if (hello.mode != "cluster") {
        return rejection{errc::unsupported, " runs in mode " + std::string{hello.mode} +
                                                ", but the cluster names it as one of its nodes; "
                                                "is the option map right?"};
    }
    if (hello.role != "master") {
        return rejection{errc::unavailable, " is a replica, but the cluster names it as a master; "
                                            "a failover may be under way"};
    }
    return std::nullopt;
}

} // namespace holdfast::engine::redis
