#pragma once
// Which Redis server, as whom, and how: what a redis:, rediss: or redis+unix: URL says.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/url.hpp"
#include "holdfast/net/endpoint.hpp"

#include <holdfast/layout.hpp>

#include <string>

namespace holdfast::engine::redis {

struct place {
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
    /// The longest that a caller who is alone looks for its answer before it blocks. 0: never.
    std::chrono::microseconds spin{60};

    /// Throws error(invalid_url) naming the part that is wrong; never quotes user or password.
    [[nodiscard]] static place from(const url& where);
};

} // namespace holdfast::engine::redis
