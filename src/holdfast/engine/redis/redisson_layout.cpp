#include "holdfast/engine/redis/redisson_layout.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/layout.hpp"
#include "holdfast/engine/redis/look_again.hpp"

namespace holdfast::engine::redis {

namespace {

/// Longer than it takes to find out that an answer was lost, and to ask again.
constexpr std::string_view latch_ms = "20000";

/// A name with a hash tag of its own keeps that.
std::string tagged(std::string_view prefix, const std::string& name) {
    const bool has_one = name.find('{') != std::string::npos;
    return std::string{prefix} + (has_one ? name : '{' + name + '}');
}

} // namespace

redisson_layout::redisson_layout(const place& where, const setting& who)
    : foreign_layout{{&scripts::redisson_acquire, &scripts::redisson_release,
                      &scripts::redisson_beat, &scripts::redisson_break,
                      &scripts::redisson_inspect},
                     where,
                     who},
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
std::string redisson_layout::latch_key(const ticket& who) const {
    return tagged("redisson_unlock_latch:", key(who.name)) + ':' + wire_owner(who.owner).substr(16);
}

void redisson_layout::release(std::string& out, const ticket& who) {
    append_call(out, *with_.release, 2, 4);
    append_key(out, who.name);
    append_bulk(out, latch_key(who));
    append_bulk(out, owner(who.owner));
    append_bulk(out, channel(who.name));
    append_bulk(out, publish());
    append_bulk(out, latch_ms);
}

void redisson_layout::withdraw(std::string& out, const ticket& who) {
    append_call(out, *with_.release, 1, 3);
    append_key(out, who.name);
    append_bulk(out, owner(who.owner));
    append_bulk(out, channel(who.name));
    append_bulk(out, publish());
}

/// A release is told: looking is only for messages that were lost.
base::duration redisson_layout::look_in(std::int64_t pttl, std::size_t ahead) {
    return look_again(pttl, ahead, base::milliseconds{250}, chance_);
}

bool redisson_layout::tidy(std::string& out, const ticket& who) {
    append_command(out, {"DEL", latch_key(who)});
    return true;
}

} // namespace holdfast::engine::redis
