#include "holdfast/engine/redis/node/subscriptions.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

void subscriptions::note(const std::string& channel, message_handler& handler) {
    channels_[channel] = {&handler, false};
}

void subscriptions::add(const std::string& channel, bool sharded, message_handler& handler,
                        base::instant now) {
    if (has(channel)) { return; }
    channels_[channel] = {&handler, sharded};
    requests_.enqueue(*this, 0, nullptr, now, [&](std::string& out) {
        append_command(out, {sharded ? "SSUBSCRIBE" : "SUBSCRIBE", channel});
    });
}

void subscriptions::remove(const std::string& channel, base::instant now) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) { return; }
    requests_.enqueue(*this, 0, nullptr, now, [&](std::string& out) {
        append_command(out, {found->second.sharded ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", channel});
    });
    channels_.erase(found);
}

void subscriptions::on_push(const reply& push, base::instant now) {
    const auto type = push.word(0);
    if (type != "message" && type != "smessage") {
        requests_.confirm(*this);
        return;
    }
    const auto found = channels_.find(push.word(1));
    if (found == channels_.end()) { return; }
    found->second.handler->on_message(push.word(1), push.word(2), now);
}

} // namespace holdfast::engine::redis
