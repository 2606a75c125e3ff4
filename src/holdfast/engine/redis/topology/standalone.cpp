#include "holdfast/engine/redis/topology/standalone.hpp"

#include <holdfast/error.hpp>

#include <utility>

namespace holdfast::engine::redis {

standalone::standalone(const options& options, std::vector<std::string> inbox_channels,
                       message_handler& inbox, node_listener& listener)
    : options_{options}, node_{options, *this, std::move(inbox_channels), inbox, listener} {}

std::optional<rejection> standalone::reject(const hello& hello) const {
    if (hello.mode != "standalone") {
        return rejection{errc::unsupported,
                         " runs in mode " + std::string{hello.mode} +
                             (hello.mode == "cluster" ? "; for a cluster write redis+cluster://"
                                                      : "; redis:// is for a server that runs "
                                                        "alone")};
    }
    if (hello.role != "master") {
        return rejection{
            errc::unavailable,
            " is a replica, which cannot be written to; use the address of the master"};
    }
    return std::nullopt;
}

} // namespace holdfast::engine::redis
