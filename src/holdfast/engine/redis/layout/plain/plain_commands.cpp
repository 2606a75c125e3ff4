#include "holdfast/engine/redis/layout/plain/plain_commands.hpp"

#include "holdfast/engine/redis/layout/polling/poll_delay.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

plain_commands::plain_commands(const options& options, const client_identity& identity)
    : polling_commands{{&scripts::plain_acquire, &scripts::plain_release,
                        options.cluster ? &scripts::cluster_plain_beat : &scripts::plain_beat,
                        &scripts::plain_break, &scripts::plain_inspect},
                       options,
                       identity},
      jitter_{base::random_seed()} {}

capabilities plain_commands::caps(primitive kind, bool fenced) const {
    auto can = polling_caps(kind, fenced);
    can.layout = holdfast::layout::plain;
    can.label = "layout plain";
    can.why_unsupported = "has mutexes only; use layout native or redisson for other locks";
    can.not_after = fenced; // SET has no such argument
    can.refreshes = true;
    return can;
}

const lock_format& plain_commands::format() const noexcept {
    static constexpr lock_format own{holdfast::layout::plain, {}};
    return own;
}

std::string plain_commands::name_channel(std::string_view name, primitive /*kind*/) const {
    return own_prefix_ + "free:" + key(name);
}

/// Its keys have the lock key as hash tag; a name with a hash tag of its own keeps that.
std::string plain_commands::own_key(std::string_view kind, std::string_view name) const {
    const auto lock = key(name);
    const bool tagged = lock.find('{') != std::string::npos;
    return in_slot(own_prefix_ + std::string{kind} + (tagged ? ':' + lock : '{' + lock + '}'), kind,
                   name);
}

std::string plain_commands::token_key(std::string_view name) const {
    return own_key("token:", name);
}

std::string plain_commands::memory_key(const ticket& ticket) const {
    return own_key("released:", ticket.name) + ':' + ticket.owner.text();
}

/// Other libraries publish no message when they release.
base::duration plain_commands::poll_in(std::int64_t pttl, std::size_t ahead) {
    return poll_delay(pttl, ahead, base::milliseconds{100}, jitter_);
}

/// The script knows the default prefix, so that is not sent.
void plain_commands::release(std::string& out, const ticket& ticket, release_memory memory) {
    const bool remembered = memory.length.count() > 0;
    const bool usual = own_prefix_ == "hf:" && !remembered;
    append_call(out, *scripts_.release, remembered ? 2 : 1, remembered ? 4 : usual ? 1 : 2);
    append_key(out, ticket.name);
    if (remembered) { append_bulk(out, memory_key(ticket)); }
    append_bulk(out, owner(ticket.owner));
    if (!usual) { append_bulk(out, own_prefix_); }
    if (remembered) { append_memory(out, memory); }
}

void plain_commands::take(std::string& out, const ticket& ticket, base::milliseconds lease) {
    append_count(out, 7);
    out.append("$3\r\nSET\r\n");
    append_key(out, ticket.name);
    append_bulk(out, owner(ticket.owner));
    out.append("$2\r\nNX\r\n$2\r\nPX\r\n");
    append_bulk(out, std::to_string(lease.count()));
    out.append("$3\r\nGET\r\n");
}

} // namespace holdfast::engine::redis
