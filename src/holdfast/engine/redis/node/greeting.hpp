#pragma once
// The first commands of a new connection.

#include "holdfast/base/clock.hpp"
#include "holdfast/engine/redis/node/script_cache.hpp"
#include "holdfast/engine/redis/node/server_clock.hpp"
#include "holdfast/engine/redis/node/server_source.hpp"
#include "holdfast/engine/redis/protocol/reply.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::engine::redis {

/// Subscribes to the inbox, loads the scripts that every session needs, and asks for the time.
///
/// Thread safety: none.
class greeting {
public:
    greeting(std::vector<std::string> channels, script_set scripts);

    /// Begins again, for a new connection.
    void start(base::instant now) noexcept;
    [[nodiscard]] const std::string& commands() const noexcept { return commands_; }
    /// How many replies are due; a push that confirms a subscription counts as one.
    [[nodiscard]] unsigned reply_count() const noexcept;
    /// Empty, or why the next reply is not the expected one.
    [[nodiscard]] std::optional<rejection> on_reply(const reply& reply, server_clock& clock,
                                                    base::instant now);

    [[nodiscard]] const std::vector<std::string>& channels() const noexcept { return channels_; }
    [[nodiscard]] script_set scripts() const noexcept { return scripts_; }

private:
    const std::vector<std::string> channels_;
    const script_set scripts_;
    std::string commands_;
    std::size_t replies_ = 0; ///< so far
    base::instant sent_{};
};

} // namespace holdfast::engine::redis
