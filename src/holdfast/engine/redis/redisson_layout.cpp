#include "holdfast/engine/redis/redisson_layout.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/layout.hpp"
#include "holdfast/engine/redis/look_again.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

namespace {

/// Longer than it takes to find out that an answer was lost, and to ask again.
constexpr base::milliseconds least_memory{20'000};

/// A name with a hash tag of its own keeps that.
std::string tagged(std::string_view prefix, const std::string& name) {
    const bool has_one = name.find('{') != std::string::npos;
    return std::string{prefix} + (has_one ? name : '{' + name + '}');
}

} // namespace

redisson_layout::redisson_layout(const place& where, const client_identity& identity)
    : foreign_layout{{&scripts::redisson_acquire, &scripts::redisson_release,
                      &scripts::redisson_beat, &scripts::redisson_break,
                      &scripts::redisson_inspect},
                     where,
                     identity},
      sharded_{where.sharded},
      chance_{base::random_seed()} {}

capabilities redisson_layout::caps(primitive kind, bool fenced) const {
    capabilities can;
    can.in = holdfast::layout::redisson;
    can.what = "layout redisson";
    can.supported = kind == primitive::mutex;
    can.queue = queueing::hint;
    can.fencing = fenced;
    can.notes = can.lists = can.sees_waiters = can.recalls_release = can.shortens = false;
    return can;
}

std::string redisson_layout::channel(std::string_view name) const {
    return tagged("redisson_lock__channel:", key(name));
}

std::string redisson_layout::token_key(std::string_view name) const {
    return tagged("redisson_lock_token:", key(name));
}

/// 32 digits that are this release's own: an owner releases once.
std::string redisson_layout::memory_key(const ticket& ticket) const {
    return tagged("redisson_unlock_latch:", key(ticket.name)) + ':' +
           wire_owner(ticket.owner).substr(16);
}

void redisson_layout::append_release(std::string& out, const ticket& ticket,
                                     release_memory memory) {
    const bool remembered = memory.length.count() > 0;
    append_call(out, *with_.release, remembered ? 2 : 1, remembered ? 5 : 3);
    append_key(out, ticket.name);
    if (remembered) { append_bulk(out, memory_key(ticket)); }
    append_bulk(out, owner(ticket.owner));
    append_bulk(out, channel(ticket.name));
    append_bulk(out, publish());
    if (remembered) {
        append_bulk(out, std::to_string(memory.length.count()));
        append_bulk(out, memory.also_of_nothing ? "1" : "0");
    }
}

/// Always remembered until it is answered, as Redisson does.
void redisson_layout::release(std::string& out, const ticket& ticket, release_memory memory) {
    memory.length = std::max(memory.length, least_memory);
    append_release(out, ticket, memory);
}

void redisson_layout::withdraw(std::string& out, const ticket& ticket, release_memory memory) {
    append_release(out, ticket, memory);
}

/// A release is told: looking is only for messages that were lost.
base::duration redisson_layout::look_in(std::int64_t pttl, std::size_t ahead) {
    return look_again(pttl, ahead, base::milliseconds{250}, chance_);
}

bool redisson_layout::tidy(std::string& out, const ticket& ticket) {
    append_command(out, {"DEL", memory_key(ticket)});
    return true;
}

} // namespace holdfast::engine::redis
