#include "holdfast/engine/redis/plain_layout.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/look_again.hpp"

namespace holdfast::engine::redis {

plain_layout::plain_layout(const place& where, const client_identity& identity)
    : foreign_layout{{&scripts::plain_acquire, &scripts::plain_release, &scripts::plain_beat,
                      &scripts::plain_break, &scripts::plain_inspect},
                     where,
                     identity},
      chance_{base::random_seed()} {}

capabilities plain_layout::caps(primitive kind, bool fenced) const {
    capabilities can;
    can.in = holdfast::layout::plain;
    can.what = "layout plain";
    can.supported = kind == primitive::mutex;
    can.queue = queueing::hint;
    can.fencing = fenced;
    can.not_after = fenced; // SET knows no such thing
    can.notes = can.lists = can.sees_waiters = can.recalls_release = can.shortens = false;
    can.refreshes = true;
    return can;
}

std::string plain_layout::channel(std::string_view name) const {
    return own_prefix_ + "free:" + key(name);
}

/// Its keys share a hash tag with the lock, unless the name has one of its own, which counts then.
std::string plain_layout::own_key(std::string_view kind, std::string_view name) const {
    const auto lock = key(name);
    const bool tagged = lock.find('{') != std::string::npos;
    return own_prefix_ + std::string{kind} + (tagged ? ':' + lock : '{' + lock + '}');
}

std::string plain_layout::token_key(std::string_view name) const { return own_key("token:", name); }

std::string plain_layout::memory_key(const ticket& ticket) const {
    return own_key("released:", ticket.name) + ':' + ticket.owner.text();
}

/// Others do not tell when they release.
base::duration plain_layout::look_in(std::int64_t pttl, std::size_t ahead) {
    return look_again(pttl, ahead, base::milliseconds{100}, chance_);
}

/// Most use our usual prefix, which the script knows.
void plain_layout::release(std::string& out, const ticket& ticket, release_memory memory) {
    const bool remembered = memory.length.count() > 0;
    const bool usual = own_prefix_ == "hf:" && !remembered;
    append_call(out, *with_.release, remembered ? 2 : 1, remembered ? 4 : usual ? 1 : 2);
    append_key(out, ticket.name);
    if (remembered) { append_bulk(out, memory_key(ticket)); }
    append_bulk(out, owner(ticket.owner));
    if (!usual) { append_bulk(out, own_prefix_); }
    if (remembered) {
        append_bulk(out, std::to_string(memory.length.count()));
        append_bulk(out, memory.also_of_nothing ? "1" : "0");
    }
}

bool plain_layout::take(std::string& out, const ticket& ticket, base::milliseconds lease) {
    append_count(out, 7);
    out.append("$3\r\nSET\r\n");
    append_key(out, ticket.name);
    append_bulk(out, owner(ticket.owner));
    out.append("$2\r\nNX\r\n$2\r\nPX\r\n");
    append_bulk(out, std::to_string(lease.count()));
    out.append("$3\r\nGET\r\n");
    return true;
}

} // namespace holdfast::engine::redis
