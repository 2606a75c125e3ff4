#include "holdfast/engine/redis/layout/native/cell_calls.hpp"

#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/cell_replies.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <array>

namespace holdfast::engine::redis {

namespace {

constexpr std::array cell_scripts{&scripts::cell};

/// A cell without an expiry has one as well: 100 years.
constexpr std::int64_t longest_keep_ms = 100LL * 365 * 24 * 3600 * 1000;

char letter_of(cell_op::action_kind action) noexcept {
    switch (action) {
    case cell_op::action_kind::read: return fields::cell_read;
    case cell_op::action_kind::write: return fields::cell_write;
    case cell_op::action_kind::erase: return fields::cell_erase;
    case cell_op::action_kind::arrive: return fields::cell_arrive;
    }
    return fields::cell_read;
}

char letter_of(write_if condition) noexcept {
    switch (condition) {
    case write_if::newest: return fields::cell_if_newest;
    case write_if::empty: return fields::cell_if_empty;
    case write_if::own: return fields::cell_if_own;
    }
    return fields::cell_if_newest;
}

} // namespace

void cell_calls::begin(operation& operation, const cell_op& op, command_channel& channel,
                       base::instant counts_until, base::instant now) {
    channel.scripts().ensure(cell_scripts, now);
    channel.clock().refresh(channel.requests(), now);
    operation.not_after = op.not_after;
    channel.send(*this, request_kind::cell, operation, now, [&](std::string& out) {
        const bool reads = op.action == cell_op::action_kind::read;
        write(out, op, reads ? 0 : channel.clock().translate(counts_until));
    });
}

void cell_calls::write(std::string& out, const cell_op& op, std::int64_t not_after_us) const {
    const bool arrives = op.action == cell_op::action_kind::arrive;
    const bool reads = op.action == cell_op::action_kind::read;
    append_call(out, scripts::cell, 1, 4U + (arrives ? 6U : reads ? 0U : 4U));
    std::string key = prefix_ + "cell:{";
    append_encoded(key, op.ticket.name);
    append_bulk(out, key += '}');
    append_bulk(out, std::string(1, letter_of(op.action)));
    append_bulk(out, op.watches ? wire_owner(op.ticket.owner) : std::string{});
    append_bulk(out, std::to_string(not_after_us));
    append_bulk(out, std::to_string(op.keep.count() > 0 ? op.keep.count() : longest_keep_ms));
    if (arrives) {
        append_bulk(out, op.member);
        append_bulk(out, std::to_string(op.weight));
        append_bulk(out, std::to_string(op.expected));
        append_bulk(out, op.cyclic ? "1" : "0");
        append_bulk(out, std::to_string(op.birth));
        append_bulk(out, std::to_string(op.phase));
    } else if (!reads) {
        append_bulk(out, std::to_string(op.token));
        append_bulk(out, std::to_string(op.order));
        append_bulk(out, std::string(1, letter_of(op.condition)));
        const bool erases = op.action == cell_op::action_kind::erase;
        append_bulk(out, erases ? std::to_string(op.birth) : op.value);
    }
}

bool cell_calls::on_reply(request& request, const reply& reply, base::instant now) {
    return complete_cell(*request.op, reply, now);
}

} // namespace holdfast::engine::redis
