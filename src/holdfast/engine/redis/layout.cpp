#include "holdfast/engine/redis/layout.hpp"

#include "holdfast/engine/redis/command.hpp"
#include "holdfast/engine/redis/scripts.hpp"
#include "holdfast/engine/redis/wire_text.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

namespace {

constexpr std::size_t instant_digits = 16;
constexpr std::size_t order_digits = 12;
constexpr std::size_t lease_digits = 8;
constexpr std::string_view no_instant = "0000000000000000";
constexpr std::int64_t latest_us = 9'007'199'254'740'991; // 2^53 - 1: scripts reckon in doubles

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

char letter(mode mode) noexcept {
    switch (mode) {
    case mode::exclusive: return 'x';
    case mode::shared: return 's';
    case mode::permits: return 'p';
    }
    return '?';
}

char letter(queueing queueing) noexcept {
    switch (queueing) {
    case queueing::no: return 'n';
    case queueing::hint: return 'h';
    case queueing::grant: return 'g';
    }
    return '?';
}

} // namespace

layout::layout(std::string prefix, const client_identity& identity)
    : prefix_{std::move(prefix)},
      client_{hex_of(identity.client)},
      inbox_{prefix_ + "inbox:" + client_},
      inbox_of_all_{prefix_ + "inbox:all"},
      from_{std::to_string(identity.pid) + '\n' + identity.host + '\n'},
      own_{identity.client} {
    append_call(acquire_, scripts::acquire, 1, 1);
    append_call(acquire_with_more_, scripts::acquire, 1, 2);
    append_call(acquire_again_, scripts::acquire, 1, 3);
    append_call(release_, scripts::release, 1, 1);
    append_call(exchange_, scripts::exchange, 2, 2);
    append_call(exchange_with_more_, scripts::exchange, 2, 3);
    append_call(exchange_again_, scripts::exchange, 2, 4);
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
const std::string& layout::terms_of(const acquire_op& operation) {
    const wish now{operation.kind,  operation.mode,  operation.detached, operation.permits,
                   operation.limit, operation.lease, operation.min_hold, operation.queue};
    if (!terms_.empty() && now == terms_for_ && operation.note == note_for_) { return terms_; }
    auto terms = std::exchange(terms_, {}); // until they are whole, as above
    terms_for_ = now;
    note_for_ = operation.note;
    terms.clear();
    terms += letter(operation.kind);
    terms += letter(operation.mode);
    terms += operation.detached ? 'd' : '-';
    append_padded(terms, operation.kind == primitive::semaphore ? operation.permits : 1, 5);
    append_padded(terms, operation.kind == primitive::semaphore ? operation.limit : 1, 5);
    append_padded(terms, static_cast<std::uint64_t>(operation.lease.count()), lease_digits);
    append_padded(terms, static_cast<std::uint64_t>(operation.min_hold.count()), 11);
    terms += letter(operation.queue);
    terms += from_;
    terms += operation.note;
    terms_ = std::move(terms);
    return terms_;
}

void layout::call(std::string& out, const script& script, std::string_view name,
                  std::string_view argument) {
    append_call(out, script, 1, 1);
    append_key(out, name);
    append_bulk(out, argument);
}

namespace {

/// Such an acquire needs no second argument.
bool simple(const acquire_op& operation) noexcept {
    return operation.mode == mode::exclusive && operation.min_hold == base::milliseconds{0} &&
           operation.proposed_token == 0;
}

} // namespace

void layout::append_acquire(std::string& out, const acquire_op& operation, const validity& counts) {
    ask_.clear();
    const auto not_after = std::clamp<std::int64_t>(counts.not_after_us, 0, latest_us);
    append_padded(ask_, static_cast<std::uint64_t>(not_after), instant_digits);
    ask_ += no_instant;
    append_owner(ask_, client_, own_, operation.ticket.owner);
    ask_ += terms_of(operation);
    append_bulk(out, ask_);
    if (!simple(operation) || counts.late_us > 0) {
        append_bulk(out, std::to_string(operation.proposed_token));
    }
    if (counts.late_us > 0) { append_bulk(out, std::to_string(counts.late_us)); }
}

void layout::append_release(std::string& out, const ticket& ticket) {
    ask_ = no_instant;
    append_owner(ask_, client_, own_, ticket.owner);
    append_bulk(out, ask_);
}

void layout::acquire(std::string& out, const acquire_op& operation, const validity& counts) {
    const auto& usual = simple(operation) ? acquire_ : acquire_with_more_;
    out += counts.late_us > 0 ? acquire_again_ : usual;
    append_key(out, operation.ticket.name);
    append_acquire(out, operation, counts);
}

void layout::release(std::string& out, const ticket& ticket) {
    out += release_;
    append_key(out, ticket.name);
    append_release(out, ticket);
}

void layout::exchange(std::string& out, const ticket& given_up, const acquire_op& operation,
                      const validity& counts) {
    const auto& usual = simple(operation) ? exchange_ : exchange_with_more_;
    out += counts.late_us > 0 ? exchange_again_ : usual;
    append_key(out, given_up.name);
    append_key(out, operation.ticket.name);
    append_release(out, given_up);
    append_acquire(out, operation, counts);
}

void layout::withdraw(std::string& out, const ticket& ticket, std::int64_t late_us) {
    append_call(out, scripts::withdraw, 1, late_us > 0 ? 2 : 1);
    append_key(out, ticket.name);
    ask_.clear();
    append_owner(ask_, client_, own_, ticket.owner);
    append_bulk(out, ask_);
    if (late_us > 0) { append_bulk(out, std::to_string(late_us)); }
}

void layout::break_lock(std::string& out, const break_op& operation) {
    call(out, scripts::take_away, operation.name, std::to_string(operation.only_token));
}

void layout::beat(std::string& out, const beat_op& operation) {
    append_call(out, scripts::beat, operation.items.size(), operation.items.size());
    for (const auto& item : operation.items) { append_key(out, item.ticket.name); }
    for (const auto& item : operation.items) {
        ask_ = no_instant;
        append_owner(ask_, client_, own_, item.ticket.owner);
        if (item.waiting) {
            ask_ += 'w';
        } else {
            append_padded(ask_, static_cast<std::uint64_t>(item.lease.count()), lease_digits);
            append_padded(ask_, item.order, order_digits);
        }
        append_bulk(out, ask_);
    }
}

void layout::inspect(std::string& out, std::string_view name) {
    append_call(out, scripts::inspect, 1, 0);
    append_key(out, name);
}

void layout::scan(std::string& out, const list_op& operation) {
    std::string pattern = literally(prefix_) + '{';
    std::string names;
    append_encoded(names, operation.prefix);
    pattern += literally(names) + "*}";
    const auto cursor = std::string_view{operation.cursor}.substr(0, operation.cursor.find('>'));
    append_command(out, {"SCAN", cursor.empty() ? "0" : cursor, "MATCH", pattern, "COUNT",
                         std::to_string(operation.count)});
}

std::optional<std::string> layout::name_of(std::string_view key) const {
    if (key.size() < prefix_.size() + 3 || !key.starts_with(prefix_) || key.back() != '}' ||
        key[prefix_.size()] != '{') {
        return std::nullopt;
    }
    key.remove_prefix(prefix_.size() + 1);
    key.remove_suffix(1);
    return decode_name(key);
}

} // namespace holdfast::engine::redis
