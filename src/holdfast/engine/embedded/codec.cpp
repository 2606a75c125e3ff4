#include "holdfast/engine/embedded/codec.hpp"

#include "holdfast/engine/embedded/record_fields.hpp"

#include <array>
#include <cstring>
#include <string>

namespace holdfast::engine::embedded {

namespace {

/// Records of format 1 had a wall clock in place of `keep_until`; those of format 2 end with the
/// holds. Format 4 has a limit that was set for a semaphore; other records stay readable for
/// versions that do not know of it.
constexpr std::uint8_t record_format = 3;
constexpr std::uint8_t resized_format = 4;
constexpr std::uint8_t waiter_format = 1;

constexpr std::array stored_outcomes{
    stored_value{op_status::not_held, 7},
    stored_value{op_status::released, 4},
    stored_value{op_status::handed_off, 5},
};
constexpr std::array stored_queueing{
    stored_value{queueing::hint, 1},
    stored_value{queueing::grant, 2},
};

constexpr unsigned mode_count = 3;
constexpr unsigned primitive_count = 3;
constexpr std::size_t min_hold_bytes = 75;

void put(field_writer& to, const admission::hold_record& hold) {
    to.raw(encode_owner(hold.owner));
    to.u64(hold.token);
    to.u8(static_cast<std::uint8_t>(hold.mode));
    to.u32(hold.permits);
    to.u8(hold.released ? 1 : 0);
    to.u8(hold.detached ? 1 : 0);
    to.instant(hold.deadline);
    to.instant(hold.rest_until);
    to.i64(hold.since_wall_us);
    to.i64(hold.process.pid);
    to.text(hold.process.host);
    to.text(hold.note);
}

admission::hold_record get_hold(field_reader& in) {
    admission::hold_record out;
    out.owner = in.owner();
    out.token = in.u64();
    out.mode = in.enumerator<mode>(mode_count);
    out.permits = in.u32();
    out.released = in.flag();
    out.detached = in.flag();
    out.deadline = in.instant();
    out.rest_until = in.instant();
    out.since_wall_us = in.i64();
    out.process.pid = in.i64();
    out.process.host = in.text();
    out.note = in.text();
    return out;
}

/// What few records have: one byte says that there is nothing.
void put_votes(field_writer& to, const admission::record& record) {
    const bool any =
        record.expired.token != 0 || !record.listeners.empty() || !record.broken.empty();
    to.u8(any ? 1 : 0);
    if (!any) { return; }
    to.u64(record.expired.token);
    to.raw(encode_owner(record.expired.owner));
    to.u32(static_cast<std::uint32_t>(record.listeners.size()));
    for (const auto& each : record.listeners) {
        to.raw(encode_owner(each.owner));
        to.instant(each.alive_until);
    }
    to.u32(static_cast<std::uint32_t>(record.broken.size()));
    for (const auto& each : record.broken) {
        to.raw(encode_owner(each.owner));
        to.instant(each.until);
    }
}

/// Reads `Entry{owner, instant}`s. False: there cannot be so many.
template <typename Entry>
bool get_entries(field_reader& in, std::vector<Entry>& out) {
    constexpr std::size_t entry_bytes = std::tuple_size_v<owner_key> + sizeof(std::int64_t);
    const std::uint32_t count = in.u32();
    if (!in.ok() || count > in.left() / entry_bytes) { return false; }
    out.reserve(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        const auto owner = in.owner();
        out.push_back({owner, in.instant()});
    }
    return true;
}

bool get_votes(field_reader& in, admission::record& out) {
    if (!in.flag()) { return in.ok(); }
    out.expired.token = in.u64();
    out.expired.owner = in.owner();
    return get_entries(in, out.listeners) && get_entries(in, out.broken);
}

void put_limit(field_writer& to, const admission::resized_limit& resized) {
    to.u32(resized.limit);
    to.u64(resized.generation);
    to.raw(encode_owner(resized.by));
}

admission::resized_limit get_limit(field_reader& in) {
    admission::resized_limit out;
    out.limit = in.u32();
    out.generation = in.u64();
    out.by = in.owner();
    return out;
}

} // namespace

owner_key encode_owner(const base::owner_id& owner) noexcept {
    owner_key key{};
    std::memcpy(key.data(), owner.client.bytes.data(), owner.client.bytes.size());
    for (unsigned at = 0; at < 8; ++at) {
        key.at(16 + at) = static_cast<std::byte>(owner.number >> (8U * at));
    }
    return key;
}

std::optional<base::owner_id> decode_owner(bytes key) noexcept {
    if (key.size() != std::tuple_size_v<owner_key>) { return std::nullopt; }
    base::owner_id owner;
    std::memcpy(owner.client.bytes.data(), key.data(), owner.client.bytes.size());
    for (unsigned at = 0; at < 8; ++at) {
        owner.number |= static_cast<std::uint64_t>(key[16 + at]) << (8U * at);
    }
    return owner;
}

void encode(const admission::record& record, std::uint32_t boot, buffer& out) {
    field_writer to{out};
    const bool resized = record.resized.limit != 0;
    to.u8(resized ? resized_format : record_format);
    to.u32(boot);
    to.u8(static_cast<std::uint8_t>(record.kind));
    to.u32(record.limit);
    to.u32(record.waiting);
    to.u64(record.high_water);
    to.u64(record.epoch);
    to.instant(record.keep_until);
    to.raw(encode_owner(record.last.owner));
    to.stored(record.last.status, stored_outcomes);
    to.u32(static_cast<std::uint32_t>(record.holds.size()));
    for (const admission::hold_record& each : record.holds) { put(to, each); }
    put_votes(to, record);
    if (resized) { put_limit(to, record.resized); }
}

std::optional<admission::record> decode_record(bytes from, std::uint32_t boot) {
    field_reader in{from};
    const std::uint8_t format = in.u8();
    if (format == 0 || format > resized_format) { return std::nullopt; }
    const bool same_boot = in.u32() == boot;
    admission::record out;
    out.kind = in.enumerator<primitive>(primitive_count);
    out.limit = in.u32();
    out.waiting = in.u32();
    out.high_water = in.u64();
    out.epoch = in.u64();
    out.keep_until = in.instant();
    out.last.owner = in.owner();
    out.last.status = in.stored(stored_outcomes);
    const std::uint32_t holds = in.u32();
    // Check before reserving: a damaged count must not allocate gigabytes.
    if (!in.ok() || holds > in.left() / min_hold_bytes) { return std::nullopt; }
    out.holds.reserve(holds);
    for (std::uint32_t at = 0; at < holds; ++at) { out.holds.push_back(get_hold(in)); }
    if (format >= 3 && !get_votes(in, out)) { return std::nullopt; }
    if (format == resized_format) { out.resized = get_limit(in); }
    if (!in.at_end()) { return std::nullopt; }
    if (format == 1) { out.keep_until = {}; }
    if (!same_boot) {
        out.holds.clear();
        out.listeners.clear();
        out.broken.clear();
        out.expired = {};
        out.waiting = 0;
        out.keep_until = {}; // it is on the clock of that boot
    }
    return out;
}

void encode(const admission::waiter& waiter, buffer& out) {
    field_writer to{out};
    to.u8(waiter_format);
    to.u8(static_cast<std::uint8_t>(waiter.mode));
    to.u32(waiter.permits);
    to.stored(waiter.queue, stored_queueing);
    to.duration(waiter.lease);
    to.duration(waiter.min_hold);
    to.u8(waiter.detached ? 1 : 0);
    to.i64(waiter.since_wall_us);
    to.i64(waiter.process.pid);
    to.text(waiter.process.host);
    to.text(waiter.note);
}

bool decode_waiter(bytes from, admission::waiter& out) {
    field_reader in{from};
    if (in.u8() != waiter_format) { return false; }
    out.mode = in.enumerator<mode>(mode_count);
    out.permits = in.u32();
    out.queue = in.stored(stored_queueing);
    out.lease = in.duration();
    out.min_hold = in.duration();
    out.detached = in.flag();
    out.since_wall_us = in.i64();
    out.process.pid = in.i64();
    out.process.host = in.text();
    out.note = in.text();
    return in.at_end();
}

} // namespace holdfast::engine::embedded
