#include "holdfast/engine/redis/inbox.hpp"

#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <charconv>

namespace holdfast::engine::redis {

namespace {
constexpr std::size_t number_digits = 16;
} // namespace

inbox::inbox(const std::string& prefix, const base::client_id& client, bool grants_are_hints)
    : own_channel_{prefix + "inbox:" + hex_of(client)},
      shared_channel_{prefix + "inbox:all"},
      grants_are_hints_{grants_are_hints} {}

void inbox::on_message(std::string_view channel, std::string_view payload, base::instant /*now*/) {
    if (channel == shared_channel_) {
        sink_->noticed({notice::kind::inbox_reset, 0, 0});
        return;
    }
    if (payload.starts_with('m') && payload.size() % number_digits == 1) {
        for (std::size_t at = 1; at < payload.size(); at += number_digits) { // of all listeners
            deliver('m' + std::string{payload.substr(at, number_digits)});
        }
        return;
    }
    deliver(payload);
}

void inbox::deliver(std::string_view message) {
    notice notice = read_message(message);
    if (grants_are_hints_ && notice.type == notice::kind::granted) {
        notice.type = notice::kind::maybe_free;
    }
    if (notice.type != notice::kind::inbox_reset) { sink_->noticed(notice); }
}

notice read_message(std::string_view payload) {
    constexpr std::size_t number_end = 17;
    constexpr std::size_t token_end = number_end + 16;
    notice out;
    out.type = notice::kind::inbox_reset;
    const bool has_token = payload.size() == token_end;
    if (payload.size() != number_end && !has_token) { return out; }
    const auto read = [payload](std::size_t from, auto& value, int base) {
        const auto* const end = payload.data() + from + 16;
        const auto [stop, failure] = std::from_chars(payload.data() + from, end, value, base);
        return failure == std::errc{} && stop == end;
    };
    if (!read(1, out.number, 16)) { return out; }
    if (has_token && !read(number_end, out.token, 10)) { return out; }
    switch (payload.front()) {
    case 'g':
        if (out.token > 0) { out.type = notice::kind::granted; }
        break;
    case 'm': out.type = notice::kind::maybe_free; break;
    case 'b':
        if (out.token > 0 || !has_token) { out.type = notice::kind::broken; }
        break;
    default: break;
    }
    return out;
}

} // namespace holdfast::engine::redis
