// native_commands: several names at once, and what is rarely needed.

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/native/native_commands.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"

namespace holdfast::engine::redis {

void native_commands::acquire_set(std::string& out, const acquire_set_op& op,
                                  std::int64_t not_after_us) {
    call(out, *scripts_.sets[0], op.items.size(), op.items.size());
    for (const auto& item : op.items) { append_key(out, item.ticket.name); }
    for (const auto& item : op.items) { append_request(out, item, not_after_us); }
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
    call(out, *scripts_.sets[1], holds.size(), holds.size());
    for (const auto& hold : holds) { append_key(out, hold.ticket.name); }
    for (const auto& hold : holds) {
        argument_ = fields::no_instant;
        append_owner(argument_, hold.ticket.owner);
        argument_ += std::to_string(with_tokens ? hold.token : 0);
        append_bulk(out, argument_);
    }
    append_last_argument(out);
}

} // namespace holdfast::engine::redis
