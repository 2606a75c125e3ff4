#include "holdfast/engine/redis/layout/redisson/redisson_commands.hpp"

#include "holdfast/engine/redis/layout/polling/poll_delay.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <algorithm>
#include <array>

namespace holdfast::engine::redis {

namespace {

/// Longer than it takes to notice a lost reply and to send the release again.
constexpr base::milliseconds least_memory{20'000};

/// Scripts besides those of a mutex.
constexpr std::array more_scripts{&scripts::redisson_rw_acquire, &scripts::redisson_permit_acquire,
                                  &scripts::redisson_latch};

constexpr std::string_view lock_channels = "redisson_lock__channel:";
constexpr std::string_view rw_channels = "redisson_rwlock:";
constexpr std::string_view semaphore_channels = "redisson_sc:";

/// A name with a hash tag of its own keeps that.
std::string tagged(std::string_view prefix, const std::string& name) {
    const bool has_one = name.find('{') != std::string::npos;
    return std::string{prefix} + (has_one ? name : '{' + name + '}');
}

} // namespace

const script* redisson_commands::beat_script(const options& options) {
    return options.cluster ? &scripts::cluster_redisson_beat : &scripts::redisson_beat;
}

redisson_commands::redisson_commands(const options& options, const client_identity& identity)
    : redisson_commands{{&scripts::redisson_acquire, &scripts::redisson_release,
                         beat_script(options), &scripts::redisson_break,
                         &scripts::redisson_inspect},
                        options,
                        identity,
                        more_scripts} {}

redisson_commands::redisson_commands(const polling_scripts& scripts, const options& options,
                                     const client_identity& identity,
                                     std::span<const script* const> more)
    : polling_commands{scripts, options, identity, more},
      sharded_{options.sharded},
      jitter_{base::random_seed()} {}

capabilities redisson_commands::caps(primitive kind, bool fenced) const {
    auto can = polling_caps(kind, fenced);
    can.supported = true;
    can.fencing = fenced && kind != primitive::semaphore;
    can.readers_fence = false;
    can.checks_use = false;
    can.latches = true;
    can.why_no_cells = why_latches_only;
    can.stored_limit = true;
    if (kind == primitive::semaphore) {
        can.why_no_fencing = "has no fencing tokens for semaphores; leave out fencing there";
    }
    can.layout = holdfast::layout::redisson;
    can.label = "layout redisson";
    return can;
}

const lock_format& redisson_commands::format() const noexcept {
    static constexpr lock_format own{holdfast::layout::redisson, {}};
    return own;
}

std::string redisson_commands::name_channel(std::string_view name, primitive kind) const {
    auto prefix = lock_channels;
    if (kind == primitive::shared_mutex) { prefix = rw_channels; }
    if (kind == primitive::semaphore) { prefix = semaphore_channels; }
    return tagged(prefix, key(name));
}

/// After one message several readers can share the lock, or several waiters get permits.
bool redisson_commands::wakes_all(std::string_view channel, std::string_view payload) const {
    return payload == "1" || !channel.starts_with(lock_channels);
}

/// Redisson cannot lock such a name either: channel and tokens must be in the slot of the lock.
const char* redisson_commands::reject_name(std::string_view name) const {
    if (!clustered_ || hash_slot(tagged(lock_channels, key(name))) == hash_slot(key(name))) {
        return nullptr;
    }
    return "in a cluster the braces in this name put its keys into different slots; choose another "
           "name";
}

std::string redisson_commands::token_key(std::string_view name) const {
    return tagged("redisson_lock_token:", key(name));
}

/// Ends in 32 digits that are unique to this release: an owner releases once.
std::string redisson_commands::memory_key(const ticket& ticket) const {
    return in_slot(tagged("redisson_unlock_latch:", key(ticket.name)), "released:", ticket.name) +
           ':' + wire_owner(ticket.owner).substr(16);
}

void redisson_commands::acquire(std::string& out, const ticket& ticket, const acquire_terms& terms,
                                std::int64_t not_after_us) {
    if (terms.kind == primitive::mutex) {
        return polling_commands::acquire(out, ticket, terms, not_after_us);
    }
    if (terms.kind == primitive::shared_mutex) {
        append_acquire(out, scripts::redisson_rw_acquire, ticket, terms, not_after_us, 1);
        append_bulk(out, terms.mode == mode::shared ? "r" : "w");
        return;
    }
    append_acquire(out, scripts::redisson_permit_acquire, ticket, terms, not_after_us, 3);
    append_bulk(out, std::to_string(terms.permits));
    append_bulk(out, std::to_string(terms.limit));
    append_bulk(out, publish());
}

void redisson_commands::append_release(std::string& out, const ticket& ticket,
                                       release_memory memory) {
    const bool remembered = memory.length.count() > 0;
    append_call(out, *scripts_.release, remembered ? 2 : 1, remembered ? 5 : 3);
    append_key(out, ticket.name);
    if (remembered) { append_bulk(out, memory_key(ticket)); }
    append_bulk(out, owner(ticket.owner));
    append_bulk(out, name_channel(ticket.name, primitive::mutex));
    append_bulk(out, publish());
    if (remembered) { append_memory(out, memory); }
}

/// Always remembered until it is answered, as Redisson does.
void redisson_commands::release(std::string& out, const ticket& ticket, release_memory memory) {
    memory.length = std::max(memory.length, least_memory);
    append_release(out, ticket, memory);
}

void redisson_commands::withdraw(std::string& out, const ticket& ticket, release_memory memory) {
    append_release(out, ticket, memory);
}

/// A release is published: polling is only needed for lost messages.
base::duration redisson_commands::poll_in(std::int64_t pttl, std::size_t ahead) {
    return poll_delay(pttl, ahead, base::milliseconds{250}, jitter_);
}

void redisson_commands::clear_memory(std::string& out, const ticket& ticket) {
    append_command(out, {"DEL", memory_key(ticket)});
}

} // namespace holdfast::engine::redis
