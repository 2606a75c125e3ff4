#include "holdfast/engine/embedded/codec.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <string>

namespace holdfast::engine::embedded {

namespace {

/// Records of format 1 had a wall clock in place of `keep_until`.
constexpr std::uint8_t record_format = 2;
constexpr std::uint8_t waiter_format = 1;

/// How an enumerator is stored whose place in its enum may change.
template <typename Value>
struct stored_value {
    Value value;
    std::uint8_t number;
};
constexpr std::array stored_outcomes{
    stored_value{op_status::not_held, 7},
    stored_value{op_status::released, 4},
    stored_value{op_status::handed_off, 5},
};
constexpr std::array stored_queueing{
    stored_value{queueing::hint, 1},
    stored_value{queueing::grant, 2},
};

class writer {
public:
    explicit writer(buffer& out) : out_{out} { out_.clear(); }

    void number(std::uint64_t value, unsigned size) {
        std::array<std::byte, 8> raw{};
        for (unsigned at = 0; at < size; ++at) {
            raw.at(at) = static_cast<std::byte>(value >> (8U * at));
        }
        out_.insert(out_.end(), raw.begin(), raw.begin() + size);
    }
    void u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
    void u16(std::uint16_t value) { number(value, 2); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
    void instant(base::instant value) { i64(value.time_since_epoch().count()); }
    void duration(base::milliseconds value) { i64(value.count()); }
    template <typename Value, std::size_t Count>
    void stored(Value value, const std::array<stored_value<Value>, Count>& values) {
        for (const auto& each : values) {
            if (each.value == value) { return u8(each.number); }
        }
        assert(false);
    }
    void raw(bytes value) { out_.insert(out_.end(), value.begin(), value.end()); }
    /// Truncates what does not fit the length field: host names and notes are only shown.
    void text(const std::string& value) {
        constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
        const auto size = std::min(value.size(), most);
        u16(static_cast<std::uint16_t>(size));
        raw(std::as_bytes(std::span{value}.first(size)));
    }

private:
    buffer& out_;
};

/// After the first short read all values are zero and `ok` is false.
class reader {
public:
    explicit reader(bytes from) noexcept : rest_{from} {}

    [[nodiscard]] std::uint64_t number(unsigned size) noexcept {
        const bytes raw = take(size);
        std::uint64_t value = 0;
        for (std::size_t at = 0; at < raw.size(); ++at) {
            value |= static_cast<std::uint64_t>(raw[at]) << (8U * at);
        }
        return value;
    }
    [[nodiscard]] std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(number(1)); }
    [[nodiscard]] std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(number(2)); }
    [[nodiscard]] std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number(4)); }
    [[nodiscard]] std::uint64_t u64() noexcept { return number(8); }
    [[nodiscard]] std::int64_t i64() noexcept { return static_cast<std::int64_t>(number(8)); }
    [[nodiscard]] base::instant instant() noexcept { return base::instant{base::duration{i64()}}; }
    [[nodiscard]] base::milliseconds duration() noexcept { return base::milliseconds{i64()}; }
    [[nodiscard]] std::string text() {
        const bytes raw = take(u16());
        std::string out(raw.size(), '\0');
        if (!raw.empty()) { std::memcpy(out.data(), raw.data(), raw.size()); }
        return out;
    }
    [[nodiscard]] base::owner_id owner() noexcept {
        return decode_owner(take(std::tuple_size_v<owner_key>)).value_or(base::owner_id{});
    }
    /// The value that is stored as this number.
    template <typename Value, std::size_t Count>
    [[nodiscard]] Value stored(const std::array<stored_value<Value>, Count>& values) noexcept {
        const auto number = u8();
        for (const auto& each : values) {
            if (each.number == number) { return each.value; }
        }
        ok_ = false;
        return values.front().value;
    }
    /// An enumerator below `count`.
    template <typename Enum>
    [[nodiscard]] Enum enumerator(unsigned count) noexcept {
        const auto value = u8();
        if (value >= count) { ok_ = false; }
        return ok_ ? static_cast<Enum>(value) : Enum{};
    }
    [[nodiscard]] bool flag() noexcept {
        const auto value = u8();
        if (value > 1) { ok_ = false; }
        return value == 1;
    }
    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool at_end() const noexcept { return ok_ && rest_.empty(); }
    [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

private:
    [[nodiscard]] bytes take(std::size_t size) noexcept {
        if (!ok_ || size > rest_.size()) {
            ok_ = false;
            return {};
        }
        const bytes taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }

    bytes rest_;
    bool ok_ = true;
};

constexpr unsigned mode_count = 3;
constexpr unsigned primitive_count = 3;
constexpr std::size_t min_hold_bytes = 75;

void put(writer& to, const admission::hold_record& hold) {
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

admission::hold_record get_hold(reader& in) {
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
    writer to{out};
    to.u8(record_format);
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
}

std::optional<admission::record> decode_record(bytes from, std::uint32_t boot) {
    reader in{from};
    const std::uint8_t format = in.u8();
    if (format == 0 || format > record_format) { return std::nullopt; }
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
    if (!in.at_end()) { return std::nullopt; }
    if (format == 1) { out.keep_until = {}; }
    if (!same_boot) {
        out.holds.clear();
        out.waiting = 0;
        out.keep_until = {}; // it is on the clock of that boot
    }
    return out;
}

void encode(const admission::waiter& waiter, buffer& out) {
    writer to{out};
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
    reader in{from};
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
