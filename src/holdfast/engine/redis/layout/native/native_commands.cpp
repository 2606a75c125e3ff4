#include "holdfast/engine/redis/layout/native/native_commands.hpp"

#include "holdfast/base/text.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/hash_slot.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

namespace {

/// Lua numbers are doubles: stay below 2^53.
void write_instant(char* to, std::int64_t us) {
    static_assert(fields::ask_not_after.length == 16);
    write_padded(
        to, static_cast<std::uint64_t>(std::clamp<std::int64_t>(us, 0, fields::token_end - 1)));
}

constexpr native_scripts usual_scripts{&scripts::acquire,
                                       &scripts::release,
                                       &scripts::beat,
                                       &scripts::withdraw,
                                       &scripts::break_lock,
                                       &scripts::inspect,
                                       &scripts::exchange,
                                       {&scripts::acquire_set, &scripts::release_set},
                                       {&scripts::downgrade, &scripts::resize},
                                       0};
constexpr native_scripts grace_scripts{&scripts::grace_acquire,
                                       &scripts::grace_release,
                                       &scripts::grace_beat,
                                       &scripts::grace_withdraw,
                                       &scripts::grace_break_lock,
                                       &scripts::grace_inspect,
                                       &scripts::exchange, // never used
                                       {&scripts::grace_acquire_set, &scripts::grace_release_set},
                                       {&scripts::grace_downgrade, &scripts::grace_resize},
                                       1};
constexpr native_scripts cluster_scripts{
    &scripts::cluster_acquire,
    &scripts::cluster_release,
    &scripts::cluster_beat,
    &scripts::cluster_withdraw,
    &scripts::cluster_break_lock,
    &scripts::cluster_inspect,
    &scripts::cluster_exchange,
    {&scripts::cluster_acquire_set, &scripts::cluster_release_set},
    {&scripts::cluster_downgrade, &scripts::cluster_resize},
    1};

const native_scripts& scripts_of(script_variant variant) noexcept {
    switch (variant) {
    case script_variant::usual: break;
    case script_variant::grace: return grace_scripts;
    case script_variant::cluster: return cluster_scripts;
    }
    return usual_scripts;
}

/// An acquire that needs no second argument.
bool is_simple(const acquire_op& op) noexcept {
    return op.mode == mode::exclusive && op.min_hold == base::milliseconds{0} &&
           op.proposed_token == 0;
}

} // namespace

acquire_calls::acquire_calls(const script& script, std::size_t keys, std::size_t arguments_before,
                             std::size_t arguments_after_vote, std::size_t more_arguments) {
    const auto others = arguments_before + more_arguments;
    append_call(usual, script, keys, others + 1);
    append_call(with_token, script, keys, others + 2);
    append_call(after_late, script, keys, others + 3);
    append_call(vote, script, keys, others + 4 + arguments_after_vote);
}

const std::string& acquire_calls::call_for(const acquire_op& op, const validity& validity) const {
    if (op.node_id != 0) { return vote; }
    if (validity.late_us > 0) { return after_late; }
    return is_simple(op) ? usual : with_token;
}

native_commands::native_commands(std::string prefix, const client_identity& identity,
                                 script_variant variant)
    : prefix_{std::move(prefix)},
      client_hex_{hex_of(identity.client)},
      client_id_{identity.client},
      scripts_{scripts_of(variant)},
      clustered_{variant == script_variant::cluster},
      terms_{identity} {
    call(release_, *scripts_.release, 1, 1);
    released_.set(fields::no_instant, {});
}

/// The last argument must follow the others.
void native_commands::call(std::string& out, const script& script, std::size_t keys,
                           std::size_t arguments) const {
    append_call(out, script, keys, arguments + scripts_.more_arguments);
}

void native_commands::append_last_argument(std::string& out) const {
    if (scripts_.more_arguments == 0) { return; }
    if (!clustered_) { return append_bulk(out, incarnation_); }
    append_bulk(out, slot_is_moving_ ? '!' + last_mark_ : last_mark_);
}

/// See cluster.lua.
std::string native_commands::mark_of(std::string_view name) const {
    return (slot_is_moving_ ? "!" : "") + slot_tag(native_slot(name));
}

/// Caches the last key: most operations use the same name as the one before.
void native_commands::append_key(std::string& out, std::string_view name) {
    if (name != last_name_ || last_key_.empty()) {
        last_key_.clear(); // invalid until complete: an allocation may throw
        last_name_ = name;
        std::string key = prefix_ + '{';
        append_encoded(key, name);
        key += '}';
        std::string bulk;
        append_bulk(bulk, key);
        if (clustered_) { last_mark_ = slot_tag(native_slot(name)); }
        last_key_ = std::move(bulk);
    }
    out += last_key_;
}

/// Lua numbers are doubles: stay below 2^53.
void native_commands::append_instant(std::string& out, std::int64_t us) {
    const auto begin = out.size();
    out += fields::no_instant;
    write_instant(out.data() + begin, us);
}

void native_commands::append_owner(std::string& out, const base::owner_id& owner) const {
    if (owner.client == client_id_) {
        out += client_hex_;
    } else {
        out += hex_of(owner.client);
    }
    append_hex(out, owner.number);
}

void native_commands::append_request(std::string& out, const acquire_op& op,
                                     std::int64_t not_after_us) {
    const auto& terms = terms_.write(op);
    if (requested_terms_ != terms_.changes()) {
        requested_terms_ = 0; // invalid until complete: an allocation may throw
        requested_.set(std::string{fields::no_instant} + std::string{fields::no_instant}, terms);
        requested_terms_ = terms_.changes();
    }
    write_instant(requested_.append(out, op.ticket.owner), not_after_us);
}

void native_commands::append_acquire(std::string& out, const acquire_op& op,
                                     const validity& validity) {
    append_request(out, op, validity.not_after_us);
    const bool votes = op.node_id != 0;
    if (!is_simple(op) || validity.late_us > 0 || votes) {
        append_bulk(out, std::to_string(op.proposed_token));
    }
    if (validity.late_us > 0 || votes) { append_bulk(out, std::to_string(validity.late_us)); }
    if (votes) {
        argument_.clear();
        append_hex(argument_, op.node_id);
        append_bulk(out, argument_);
    }
}

void native_commands::acquire(std::string& out, const acquire_op& op, const validity& validity) {
    out += acquire_.call_for(op, validity);
    append_key(out, op.ticket.name);
    append_acquire(out, op, validity);
    append_last_argument(out);
}

void native_commands::release(std::string& out, const ticket& ticket, std::uint64_t token) {
    if (token == 0) {
        out += release_;
    } else {
        call(out, *scripts_.release, 1, 2);
    }
    append_key(out, ticket.name);
    released_.append(out, ticket.owner);
    if (token != 0) { append_bulk(out, std::to_string(token)); }
    append_last_argument(out);
}

void native_commands::exchange(std::string& out, const ticket& released,
                               std::uint64_t released_token, const acquire_op& op,
                               const validity& validity) {
    out += exchange_.call_for(op, validity);
    append_key(out, released.name);
    append_key(out, op.ticket.name);
    released_.append(out, released.owner);
    append_acquire(out, op, validity);
    if (op.node_id != 0) { append_bulk(out, std::to_string(released_token)); }
    append_last_argument(out);
}

void native_commands::withdraw(std::string& out, const ticket& ticket, const validity& validity) {
    const bool asks_again = validity.not_after_us > 0;
    const bool late = validity.late_us > 0 || asks_again;
    call(out, *scripts_.withdraw, 1, 1U + (late ? 1U : 0U) + (asks_again ? 1U : 0U));
    append_key(out, ticket.name);
    argument_.clear();
    append_owner(argument_, ticket.owner);
    append_bulk(out, argument_);
    if (late) { append_bulk(out, std::to_string(validity.late_us)); }
    if (asks_again) { append_bulk(out, std::to_string(validity.not_after_us)); }
    append_last_argument(out);
}

void native_commands::break_lock(std::string& out, const break_op& op) {
    call(out, *scripts_.break_lock, 1, 1);
    append_key(out, op.name);
    append_bulk(out, std::to_string(op.only_token));
    append_last_argument(out);
}

void native_commands::beat(std::string& out, const beat_op& op, const server_clock& clock,
                           base::instant latest) {
    const auto count = op.items.size();
    if (!clustered_) {
        call(out, *scripts_.beat, count, count);
        for (const auto& item : op.items) { append_key(out, item.ticket.name); }
        append_items(out, op, clock, latest);
        return append_last_argument(out);
    }
    // Items of several slots: the keys are arguments.
    const bool declared = count == 1;
    append_call(out, *scripts_.beat, declared ? 1 : 0, (declared ? 2 : 3) * count);
    if (declared) { append_key(out, op.items.front().ticket.name); }
    append_items(out, op, clock, latest);
    for (const auto& item : op.items) { append_bulk(out, mark_of(item.ticket.name)); }
    for (const auto& item : op.items) {
        if (!declared) { append_key(out, item.ticket.name); }
    }
}

void native_commands::append_items(std::string& out, const beat_op& op, const server_clock& clock,
                                   base::instant latest) {
    for (const auto& item : op.items) {
        argument_ = fields::no_instant;
        append_owner(argument_, item.ticket.owner);
        if (item.waiting) {
            argument_ += 'w';
        } else {
            append_padded(argument_, static_cast<std::uint64_t>(item.lease.count()),
                          fields::item_lease.length);
            append_padded(argument_, item.order, fields::item_order.length);
            if (item.reclaim != nullptr && !clustered_) { // a cluster is no node of a quorum
                argument_ += 'r';
                append_padded(argument_, item.token, fields::item_token.length);
                append_instant(argument_,
                               clock.translate(std::min(item.reclaim->not_after, latest)));
                argument_ += terms_.write(*item.reclaim);
            }
        }
        append_bulk(out, argument_);
    }
}

void native_commands::inspect(std::string& out, std::string_view name) {
    call(out, *scripts_.inspect, 1, 0);
    append_key(out, name);
    append_last_argument(out);
}

void native_commands::scan(std::string& out, const list_op& op) {
    std::string pattern = literally(prefix_) + '{';
    std::string names;
    append_encoded(names, op.prefix);
    pattern += literally(names) + "*}";
    const auto cursor = std::string_view{op.cursor}.substr(0, op.cursor.find('>'));
    append_command(out, {"SCAN", cursor.empty() ? "0" : cursor, "MATCH", pattern, "COUNT",
                         std::to_string(op.count)});
}

std::optional<std::string> native_commands::name_of(std::string_view key) const {
    if (key.size() < prefix_.size() + 3 || !key.starts_with(prefix_) || key.back() != '}' ||
        key[prefix_.size()] != '{') {
        return std::nullopt;
    }
    key.remove_prefix(prefix_.size() + 1);
    key.remove_suffix(1);
    return base::percent_decode(key);
}

} // namespace holdfast::engine::redis
