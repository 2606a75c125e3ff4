#include "holdfast/engine/redis/node/subscriptions.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

#include <utility>

namespace holdfast::engine::redis {

void subscriptions::note(const std::string& channel, message_handler& handler) {
    channels_[channel] = {&handler, false};
}

void subscriptions::add(const std::string& channel, bool sharded, message_handler& handler,
                        base::instant now) {
    if (has(channel)) { return; }
    channels_[channel] = {&handler, sharded};
    in_flight_.push_back({channel, false});
    requests_.enqueue(*this, 0, nullptr, now, [&](std::string& out) {
        append_command(out, {sharded ? "SSUBSCRIBE" : "SUBSCRIBE", channel});
    });
}

void subscriptions::remove(const std::string& channel, base::instant now) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) { return; }
    in_flight_.push_back({channel, true});
    requests_.enqueue(*this, 0, nullptr, now, [&](std::string& out) {
        append_command(out, {found->second.sharded ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", channel});
    });
    channels_.erase(found);
}

void subscriptions::on_push(const reply& push, base::instant now) {
    const auto type = push.word(0);
    const auto found = channels_.find(push.word(1));
    if (type == "sunsubscribe" && !is_asked_for(push)) {
        if (found == channels_.end()) { return; }
        const auto ended = channels_.extract(found);
        ended.mapped().handler->on_unsubscribed(ended.key());
        return;
    }
    if (type != "message" && type != "smessage") {
        if (requests_.confirm(*this)) { static_cast<void>(take_first()); }
        return;
    }
    if (found == channels_.end()) { return; }
    found->second.handler->on_message(push.word(1), push.word(2), now);
}

bool subscriptions::is_asked_for(const reply& push) const noexcept {
    return !in_flight_.empty() && in_flight_.front().ends &&
           in_flight_.front().channel == push.word(1);
}

subscriptions::change subscriptions::take_first() {
    if (in_flight_.empty()) { return {}; } // that of the greeting
    auto out = std::move(in_flight_.front());
    in_flight_.pop_front();
    return out;
}

/// A sharded channel belongs to a slot. If that has moved, the waiter asks there and subscribes
/// again.
void subscriptions::on_error(request& /*request*/, const server_error& error,
                             base::instant /*now*/) {
    const auto refused = take_first();
    if (error.is_moving && !refused.ends) { channels_.erase(refused.channel); }
}

} // namespace holdfast::engine::redis
