#pragma once
// The options in a URL of the Redis engine: redis:, redis+unix:, redis+sentinel:, redis+cluster:,
// and their forms for TLS.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/redis/server_list.hpp"
#include "holdfast/engine/url.hpp"
#include "holdfast/net/endpoint.hpp"
#include "holdfast/net/stream.hpp"

#include <holdfast/layout.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

/// Sentinels, and the master that they watch.
struct sentinel_options {
    std::vector<net::endpoint> servers{};
    std::string master{};   ///< its name
    std::string user{};     ///< of the sentinels; empty: their default user
    std::string password{}; ///< never in a message
};

/// A cluster, which some of its nodes know.
struct cluster_options {
    std::vector<net::endpoint> seeds{};
};

struct options {
    net::endpoint server{};                     ///< with several servers only its TLS options count
    std::optional<sentinel_options> sentinel{}; ///< set: they name the server
    std::optional<cluster_options> cluster{};   ///< set: its nodes are the servers
    address_map map{};                          ///< of addresses that servers announce
    std::string user{};                         ///< empty: the server's default user
    std::string password{};                     ///< never in a message
    unsigned database = 0;
    std::string prefix = "hf:"; ///< of all keys and channels of the native layout
    holdfast::layout layout = holdfast::layout::native; ///< of locks without a layout of their own
    bool fencing = false;     ///< likewise, for layouts with optional fencing
    std::string key_prefix{}; ///< before names in foreign layouts
    bool sharded = false;     ///< Redisson publishes by SPUBLISH
    unsigned replicas = 0;    ///< that must acknowledge each acquire and renewal
    /// The longest lease of the whole fleet; after lost data or a failover nothing new is granted
    /// for about as long. 0: off.
    base::milliseconds max_lease{0};
    base::milliseconds connect_timeout{1000};
    base::milliseconds command_timeout{2000};
    /// How long a caller that is alone polls for its reply before it blocks; 0: not at all.
    std::chrono::microseconds spin{60};

    // Tests replace these.
    std::function<std::unique_ptr<net::stream>(const net::endpoint&)> open_stream =
        net::stream::start;
    std::uint64_t backoff_seed = base::random_seed(); ///< of the pauses before connections

    /// Throws error(invalid_url), naming the invalid part; never quotes user or password.
    [[nodiscard]] static options from(const url& url);
};

} // namespace holdfast::engine::redis
