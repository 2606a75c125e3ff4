#pragma once
// A client's inbox: the channels on which scripts send it notices.

#include "holdfast/base/ids.hpp"
#include "holdfast/engine/engine.hpp"
#include "holdfast/engine/redis/node/subscriptions.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// Turns messages into notices. All layouts use it: scripts publish to the client's own channel
/// that a waiter was granted, that a lock may be free, or that a hold was broken; and to the
/// channel of all clients that the server may have lost its data.
///
/// Thread safety: none.
class inbox final : public message_handler {
public:
    /// `grants_are_hints`: a waiter that was granted the lock must ask for it. With replicas,
    /// because they may not have its grant yet when the message arrives. In a cluster, because
    /// messages go through all nodes: that of a former master arrives, too, and one that the
    /// script takes back because nobody listens on its own node.
    inbox(const std::string& prefix, const base::client_id& client, bool grants_are_hints);

    void attach(sink& sink) noexcept { sink_ = &sink; }
    /// The channels that each connection subscribes to.
    [[nodiscard]] std::vector<std::string> channels() const {
        return {own_channel_, shared_channel_};
    }
    void on_message(std::string_view channel, std::string_view payload, base::instant now) override;

private:
    void deliver(std::string_view message);

    const std::string own_channel_;
    const std::string shared_channel_;
    const bool grants_are_hints_;
    sink* sink_ = nullptr;
};

/// inbox_reset if the message is invalid.
[[nodiscard]] notice read_message(std::string_view payload);

} // namespace holdfast::engine::redis
