#include "holdfast/engine/redis/node/greeting.hpp"

#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/server_version.hpp"

#include <holdfast/error.hpp>

#include <utility>

namespace holdfast::engine::redis {

greeting::greeting(std::vector<std::string> channels, script_set scripts)
    : channels_{std::move(channels)}, scripts_{scripts} {
    append_count(commands_, 1 + channels_.size());
    append_bulk(commands_, "SUBSCRIBE");
    for (const auto& channel : channels_) { append_bulk(commands_, channel); }
    for (const script* const each : scripts_) {
        append_command(commands_, {"SCRIPT", "LOAD", each->text});
    }
    append_command(commands_, {"TIME"});
}

void greeting::start(base::instant now) noexcept {
    replies_ = 0;
    sent_ = now;
}

unsigned greeting::reply_count() const noexcept {
    return static_cast<unsigned>(channels_.size() + scripts_.size() + 1);
}

std::optional<rejection> greeting::on_reply(const reply& reply, server_clock& clock,
                                            base::instant now) {
    const std::size_t at = replies_++;
    if (at < channels_.size()) {
        if (reply.is_push()) { return std::nullopt; }
        return rejection{errc::unsupported, no_resp3};
    }
    const std::size_t script = at - channels_.size();
    const bool fits = script < scripts_.size() ? reply.text() == scripts_[script]->sha
                                               : clock.learn(reply, sent_, now);
    if (fits) { return std::nullopt; }
    return rejection{errc::unavailable,
                     ": it sent a reply that was not expected; check the address"};
}

} // namespace holdfast::engine::redis
