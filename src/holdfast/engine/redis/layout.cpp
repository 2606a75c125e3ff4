#include "holdfast/engine/redis/layout.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/scripts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t instant_digits = 16;
constexpr std::string_view no_instant = "0000000000000000";
constexpr std::int64_t latest_us = 9'007'199'254'740'991; // 2^53 - 1: scripts reckon in doubles

/// Exactly `width` digits, with zeros in front.
void append_padded(std::string& out, std::uint64_t value, std::size_t width) {
    std::array<char, 20> text; // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    std::size_t at = text.size();
    for (std::size_t digit = 0; digit < width; ++digit) {
        text.at(--at) = static_cast<char>('0' + value % 10);
        value /= 10;
    }
    out.append(text.data() + at, width);
}

/// Eight digits at once, each in a byte of its own.
std::uint64_t hex_of_half(std::uint32_t value) {
    std::uint64_t x = value;
    x = (x | x << 16U) & 0x0000'ffff'0000'ffffU;
    x = (x | x << 8U) & 0x00ff'00ff'00ff'00ffU;
    x = (x | x << 4U) & 0x0f0f'0f0f'0f0f'0f0fU;
    const auto letters = ((x + 0x0606'0606'0606'0606U) >> 4U) & 0x0101'0101'0101'0101U;
    x += 0x3030'3030'3030'3030U + letters * ('a' - '0' - 10);
    return __builtin_bswap64(x); // the first digit is the highest, and comes first in memory
}

void append_hex(std::string& out, std::uint64_t value) {
    static_assert(std::endian::native == std::endian::little);
    const std::array halves{hex_of_half(static_cast<std::uint32_t>(value >> 32U)),
                            hex_of_half(static_cast<std::uint32_t>(value))};
    std::array<char, sizeof halves> text; // NOLINT(cppcoreguidelines-pro-type-member-init): below
    std::memcpy(text.data(), halves.data(), sizeof halves);
    out.append(text.data(), text.size());
}

std::string hex_of(const base::client_id& client) {
    std::string out;
    for (const auto byte : client.bytes) {
        out += hex_digits[byte >> 4U];
        out += hex_digits[byte & 0xfU];
    }
    return out;
}

void append_owner(std::string& out, const std::string& own_hex, const base::client_id& own,
                  const base::owner_id& owner) {
    if (owner.client == own) {
        out += own_hex;
    } else {
        out += hex_of(owner.client);
    }
    append_hex(out, owner.number);
}

char letter(primitive kind) noexcept {
    switch (kind) {
    case primitive::mutex: return 'm';
    case primitive::shared_mutex: return 's';
    case primitive::semaphore: return 'p';
    }
    return '?';
}

char letter(mode how) noexcept {
    switch (how) {
    case mode::exclusive: return 'x';
    case mode::shared: return 's';
    case mode::permits: return 'p';
    }
    return '?';
}

char letter(queueing how) noexcept {
    switch (how) {
    case queueing::no: return 'n';
    case queueing::hint: return 'h';
    case queueing::grant: return 'g';
    }
    return '?';
}

bool special(char c) noexcept { return c == '{' || c == '}' || c == '%'; }

/// A brace in a name would end the hash tag early and spread the name's keys over slots.
void append_encoded(std::string& out, std::string_view name) {
    for (const char c : name) {
        if (special(c)) {
            out += '%';
            out += hex_digits[static_cast<unsigned char>(c) >> 4U];
            out += hex_digits[static_cast<unsigned char>(c) & 0xfU];
        } else {
            out += c;
        }
    }
}

/// For SCAN's MATCH: taken literally.
std::string literally(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\' || c == '^') { out += '\\'; }
        out += c;
    }
    return out;
}

} // namespace

layout::layout(std::string prefix, const setting& who)
    : prefix_{std::move(prefix)},
      client_{hex_of(who.client)},
      inbox_{prefix_ + "inbox:" + client_},
      from_{std::to_string(who.pid) + '\n' + who.host + '\n'},
      own_{who.client} {
    append_call(acquire_, scripts::acquire, 1, 1);
    append_call(acquire_with_more_, scripts::acquire, 1, 2);
    append_call(release_, scripts::release, 1, 1);
    append_call(exchange_, scripts::exchange, 2, 2);
    append_call(exchange_with_more_, scripts::exchange, 2, 3);
    std::replace(from_.begin() + static_cast<std::ptrdiff_t>(from_.find('\n')) + 1, from_.end() - 1,
                 '\n', '?');
}

/// The same name as before is the usual case.
void layout::append_key(std::string& out, std::string_view name) {
    if (name != key_for_ || key_.empty()) {
        key_.clear(); // until it is whole: there may be no memory for it
        key_for_ = name;
        std::string key = prefix_ + '{';
        append_encoded(key, name);
        key += '}';
        std::string bulk;
        append_bulk(bulk, key);
        key_ = std::move(bulk);
    }
    out += key_;
}

/// Likewise the same terms.
const std::string& layout::terms_of(const acquire_op& what) {
    const wish now{what.kind,  what.how,   what.detached, what.permits,
                   what.limit, what.lease, what.min_hold, what.queue};
    if (!terms_.empty() && now == terms_for_ && what.note == note_for_) { return terms_; }
    auto terms = std::exchange(terms_, {}); // until they are whole, as above
    terms_for_ = now;
    note_for_ = what.note;
    terms.clear();
    terms += letter(what.kind);
    terms += letter(what.how);
    terms += what.detached ? 'd' : '-';
    append_padded(terms, what.kind == primitive::semaphore ? what.permits : 1, 5);
    append_padded(terms, what.kind == primitive::semaphore ? what.limit : 1, 5);
    append_padded(terms, static_cast<std::uint64_t>(what.lease.count()), 8);
    append_padded(terms, static_cast<std::uint64_t>(what.min_hold.count()), 11);
    terms += letter(what.queue);
    terms += from_;
    terms += what.note;
    terms_ = std::move(terms);
    return terms_;
}

void layout::call(std::string& out, const script& what, std::string_view name,
                  std::string_view argument) {
    append_call(out, what, 1, 1);
    append_key(out, name);
    append_bulk(out, argument);
}

namespace {

/// Such an acquire needs no second argument.
bool simple(const acquire_op& what) noexcept {
    return what.how == mode::exclusive && what.min_hold == base::milliseconds{0} &&
           what.proposed_token == 0;
}

} // namespace

void layout::append_acquire(std::string& out, const acquire_op& what, std::int64_t not_after_us) {
    ask_.clear();
    append_padded(ask_,
                  static_cast<std::uint64_t>(std::clamp<std::int64_t>(not_after_us, 0, latest_us)),
                  instant_digits);
    ask_ += no_instant;
    append_owner(ask_, client_, own_, what.who.owner);
    ask_ += terms_of(what);
    append_bulk(out, ask_);
    if (!simple(what)) { append_bulk(out, std::to_string(what.proposed_token)); }
}

void layout::append_release(std::string& out, const ticket& who) {
    ask_ = no_instant;
    append_owner(ask_, client_, own_, who.owner);
    append_bulk(out, ask_);
}

void layout::acquire(std::string& out, const acquire_op& what, std::int64_t not_after_us) {
    out += simple(what) ? acquire_ : acquire_with_more_;
    append_key(out, what.who.name);
    append_acquire(out, what, not_after_us);
}

void layout::release(std::string& out, const ticket& who) {
    out += release_;
    append_key(out, who.name);
    append_release(out, who);
}

void layout::exchange(std::string& out, const ticket& given_up, const acquire_op& what,
                      std::int64_t not_after_us) {
    out += simple(what) ? exchange_ : exchange_with_more_;
    append_key(out, given_up.name);
    append_key(out, what.who.name);
    append_release(out, given_up);
    append_acquire(out, what, not_after_us);
}

void layout::withdraw(std::string& out, const ticket& who) {
    ask_.clear();
    append_owner(ask_, client_, own_, who.owner);
    call(out, scripts::withdraw, who.name, ask_);
}

void layout::take_away(std::string& out, const break_op& what) {
    call(out, scripts::take_away, what.name, std::to_string(what.only_token));
}

void layout::beat(std::string& out, const beat_op& what) {
    append_call(out, scripts::beat, what.items.size(), 2 * what.items.size());
    for (const auto& item : what.items) { append_key(out, item.who.name); }
    for (const auto& item : what.items) {
        ask_.clear();
        append_owner(ask_, client_, own_, item.who.owner);
        append_bulk(out, ask_);
        append_bulk(out, item.waiting ? "w" : std::to_string(item.lease.count() * 1000));
    }
}

void layout::inspect(std::string& out, std::string_view name) {
    append_call(out, scripts::inspect, 1, 0);
    append_key(out, name);
}

void layout::scan(std::string& out, const list_op& what) {
    std::string pattern = literally(prefix_) + '{';
    std::string names;
    append_encoded(names, what.prefix);
    pattern += literally(names) + "*}";
    const auto cursor = std::string_view{what.cursor}.substr(0, what.cursor.find('>'));
    append_command(out, {"SCAN", cursor.empty() ? "0" : cursor, "MATCH", pattern, "COUNT",
                         std::to_string(what.count)});
}

std::optional<std::string> layout::name_of(std::string_view key) const {
    if (key.size() < prefix_.size() + 3 || !key.starts_with(prefix_) || key.back() != '}' ||
        key[prefix_.size()] != '{') {
        return std::nullopt;
    }
    key.remove_prefix(prefix_.size() + 1);
    key.remove_suffix(1);
    std::string name;
    for (std::size_t at = 0; at < key.size(); ++at) {
        if (key[at] != '%') {
            name += key[at];
            continue;
        }
        unsigned value = 0;
        const auto digits = key.substr(at + 1, 2);
        const auto* const end = digits.data() + digits.size();
        const auto [stop, failure] = std::from_chars(digits.data(), end, value, 16);
        if (digits.size() != 2 || failure != std::errc{} || stop != end) { return std::nullopt; }
        name += static_cast<char>(value);
        at += 2;
    }
    return name;
}

std::string wire_owner(const base::owner_id& owner) {
    std::string out = hex_of(owner.client);
    append_hex(out, owner.number);
    return out;
}

std::optional<base::owner_id> read_owner(std::string_view text) {
    constexpr std::size_t client_digits = 32;
    if (text.size() != client_digits + 16) { return std::nullopt; }
    base::owner_id out;
    const auto read = [&text](std::size_t at, std::size_t digits, auto& value) {
        const auto* const from = text.data() + at;
        const auto [stop, failure] = std::from_chars(from, from + digits, value, 16);
        return failure == std::errc{} && stop == from + digits;
    };
    for (std::size_t byte = 0; byte < out.client.bytes.size(); ++byte) {
        if (!read(2 * byte, 2, out.client.bytes.at(byte))) { return std::nullopt; }
    }
    if (!read(client_digits, 16, out.number)) { return std::nullopt; }
    return out;
}

} // namespace holdfast::engine::redis
