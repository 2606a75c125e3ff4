#pragma once
// The channels that a connection is subscribed to, and the handlers of their messages.

#include "holdfast/engine/redis/node/pipeline.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace holdfast::engine::redis {

class message_handler {
public:
    message_handler() = default;
    message_handler(const message_handler&) = delete;
    message_handler& operator=(const message_handler&) = delete;

    virtual void on_message(std::string_view channel, std::string_view payload,
                            base::instant now) = 0;
    /// The server has ended the subscription to a sharded channel: its slot has moved.
    virtual void on_unsubscribed(std::string_view /*channel*/) {}

protected:
    ~message_handler() = default;
};

/// Subscribes on the connection that carries the commands, so that a command enqueued after a
/// SUBSCRIBE misses no message. All subscriptions end with the connection.
///
/// Thread safety: none.
class subscriptions final : public request_handler {
public:
    explicit subscriptions(pipeline& requests) : requests_{requests} {}

    /// The greeting has subscribed to it.
    void note(const std::string& channel, message_handler& handler);
    void end_session() noexcept {
        channels_.clear();
        in_flight_.clear();
    }

    [[nodiscard]] bool has(std::string_view channel) const noexcept {
        return channels_.find(channel) != channels_.end();
    }
    /// Does nothing if it is subscribed to already. `sharded`: by SSUBSCRIBE.
    void add(const std::string& channel, bool sharded, message_handler& handler, base::instant now);
    void remove(const std::string& channel, base::instant now);

    /// A push: a message, the confirmation of a subscription, or its end.
    void on_push(const reply& push, base::instant now);
    /// A subscription is confirmed by a push, so this is not its reply.
    [[nodiscard]] bool on_reply(request& /*request*/, const reply& /*reply*/,
                                base::instant /*now*/) override {
        return false;
    }
    void on_error(request& request, const server_error& error, base::instant now) override;

private:
    struct subscription {
        message_handler* handler = nullptr;
        bool sharded = false;
    };

    struct change {
        std::string channel{};
        bool ends = false;
    };

    [[nodiscard]] bool is_asked_for(const reply& push) const noexcept;
    [[nodiscard]] change take_first();

    pipeline& requests_;
    std::deque<change> in_flight_; ///< those that are not confirmed yet
    std::map<std::string, subscription, std::less<>> channels_;
};

} // namespace holdfast::engine::redis
