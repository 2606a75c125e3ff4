#pragma once
// What a redis:, rediss: or redis+unix: URL says.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/url.hpp"
#include "holdfast/net/endpoint.hpp"

#include <holdfast/layout.hpp>

#include <string>

namespace holdfast::engine::redis {

struct options {
    net::endpoint server{};
    std::string user{};     ///< empty: the server's default user
    std::string password{}; ///< never in a message
    unsigned database = 0;
    std::string prefix = "hf:"; ///< of every key and channel of Holdfast's own
    holdfast::layout layout = holdfast::layout::native; ///< of locks that do not say otherwise
    bool fencing = false;     ///< likewise, where the layout leaves it open
    std::string key_prefix{}; ///< before names in the layouts that others share
    bool sharded = false;     ///< Redisson's messages go by SPUBLISH
    base::milliseconds connect_timeout{1000};
    base::milliseconds command_timeout{2000};
    /// How long a caller that is alone polls for its reply before it blocks; 0: not at all.
    std::chrono::microseconds spin{60};

    /// Throws error(invalid_url) naming the part that is wrong; never quotes user or password.
    [[nodiscard]] static options from(const url& where);
};

} // namespace holdfast::engine::redis
