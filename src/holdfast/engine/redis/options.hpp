#pragma once
// The options in a redis:, rediss: or redis+unix: URL.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/random.hpp"
#include "holdfast/engine/url.hpp"
#include "holdfast/net/endpoint.hpp"
#include "holdfast/net/stream.hpp"

#include <holdfast/layout.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::engine::redis {

struct options {
    net::endpoint server{};
    std::string user{};     ///< empty: the server's default user
    std::string password{}; ///< never in a message
    unsigned database = 0;
    std::string prefix = "hf:"; ///< of all keys and channels of the native layout
    holdfast::layout layout = holdfast::layout::native; ///< of locks without a layout of their own
    bool fencing = false;     ///< likewise, for layouts with optional fencing
    std::string key_prefix{}; ///< before names in foreign layouts
    bool sharded = false;     ///< Redisson publishes by SPUBLISH
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
