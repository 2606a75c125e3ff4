// native_commands: several names at once, and what is rarely needed.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace holdfast::engine::redis {

/// Caches the last keys: the release of a set has those of its acquire.
template <typename Item>
void native_commands::append_keys(std::string& out, std::span<const Item> items) {
    const bool known =
        !last_set_keys_.empty() &&
        std::equal(items.begin(), items.end(), last_set_names_.begin(), last_set_names_.end(),
                   [](const Item& item, const auto& name) { return item.ticket.name == name; });
    if (!known) {
        auto keys = std::exchange(last_set_keys_, {}); // invalid until complete: as in append_key
        keys.clear();
        last_set_names_.clear();
        for (const auto& item : items) {
            append_key(keys, item.ticket.name);
            last_set_names_.push_back(item.ticket.name);
        }
        last_set_mark_ = last_mark_; // all are in one slot
        last_set_keys_ = std::move(keys);
    } else if (clustered_) {
        last_key_.clear(); // the mark is no longer that of the last key
        last_mark_ = last_set_mark_;
    }
    out += last_set_keys_;
}

/// What all have in common is sent once.
void native_commands::acquire_set(std::string& out, const acquire_set_op& op,
                                  std::int64_t not_after_us) {
    const bool same_terms =
        std::all_of(op.items.begin() + 1, op.items.end(), [&](const acquire_op& item) {
            return terms_writer::are_equal(item, op.items.front());
        });
    call(out, *scripts_.sets[0], op.items.size(), op.items.size() + 2);
    append_keys(out, std::span{op.items});
    argument_.clear();
    append_instant(argument_, not_after_us);
    argument_ += fields::no_instant;
    append_bulk(out, argument_);
    append_bulk(out, same_terms ? terms_.write(op.items.front()) : std::string_view{});
    for (const auto& item : op.items) {
        argument_.clear();
        append_owner(argument_, item.ticket.owner);
        if (!same_terms) { argument_ += terms_.write(item); }
        append_bulk(out, argument_);
    }
    append_last_argument(out);
}

void native_commands::downgrade(std::string& out, const ticket& ticket) {
    call(out, *scripts_.rare[0], 1, 1);
    append_key(out, ticket.name);
    argument_.clear();
    append_owner(argument_, ticket.owner);
    append_bulk(out, argument_);
    append_last_argument(out);
}

void native_commands::resize(std::string& out, const resize_op& op, std::int64_t not_after_us) {
    call(out, *scripts_.rare[1], 1, 4);
    append_key(out, op.ticket.name);
    argument_.clear();
    append_owner(argument_, op.ticket.owner);
    append_bulk(out, argument_);
    append_bulk(out, std::to_string(op.limit));
    append_bulk(out, std::to_string(op.generation));
    append_bulk(out, std::to_string(not_after_us));
    append_last_argument(out);
}

void native_commands::release_set(std::string& out, std::span<const release_op> holds,
                                  bool with_tokens) {
    call(out, *scripts_.sets[1], holds.size(), holds.size() * (with_tokens ? 2 : 1));
    append_keys(out, holds);
    for (const auto& hold : holds) { released_.append(out, hold.ticket.owner); }
    for (const auto& hold : holds) {
        if (with_tokens) { append_bulk(out, std::to_string(hold.token)); }
    }
    append_last_argument(out);
}

} // namespace holdfast::engine::redis
