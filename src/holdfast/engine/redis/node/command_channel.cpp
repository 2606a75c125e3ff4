#include "holdfast/engine/redis/node/command_channel.hpp"

#include <utility>

namespace holdfast::engine::redis {

void command_channel::start_session(output_buffer& output, script_set loaded, std::string server) {
    server_ = std::move(server);
    scripts_.start_session(loaded);
    requests_.start_session(output);
    open_ = true;
}

void command_channel::end_session() noexcept {
    open_ = false;
    requests_.end_session();
    batcher_.on_empty();
    watermark_.end_session();
    watchdog_.end_session();
    scripts_.end_session();
    subscriptions_.end_session();
}

const char* command_channel::on_reply(const reply& reply, base::instant now) {
    static constexpr const char* unexpected_reply =
        ": it sent a reply that was not expected; check the address";
    if (requests_.empty()) { return unexpected_reply; }
    request& first = requests_.front();
    const std::size_t suppressed = first.suppressible ? first.weight() : 0;
    if (reply.is_error()) {
        const auto error = parse_server_error(reply.text(), server_);
        if (error.scripts_are_gone && first.handler != &scripts_) { scripts_.reload(now); }
        requests_.deliver_error(error, now);
    } else if (!requests_.deliver(reply, now)) {
        return unexpected_reply; // the result of the request is unknown
    }
    watermark_.remove(suppressed);
    return nullptr;
}

} // namespace holdfast::engine::redis
