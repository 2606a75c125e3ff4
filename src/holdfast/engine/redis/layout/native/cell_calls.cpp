#include "holdfast/engine/redis/layout/native/cell_calls.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/protocol/command.hpp"
#include "holdfast/engine/redis/protocol/wire_text.hpp"

#include <holdfast/error.hpp>

#include <array>
#include <memory>
#include <utility>

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

bool is_cell_reply(const reply& reply) {
    return reply.is_array() && reply.size() >= 2 &&
           (reply.number(0) != fields::cell_found || reply.size() == 9);
}

cell_state read_cell(const reply& reply) {
    cell_state out;
    out.birth = static_cast<std::uint64_t>(reply.number(1));
    out.token = static_cast<std::uint64_t>(reply.number(2));
    out.phase = static_cast<std::uint64_t>(reply.number(3));
    out.arrived = static_cast<unsigned>(reply.number(4));
    out.expected = static_cast<unsigned>(reply.number(5));
    out.value = reply.word(6);
    out.applied = reply.number(7) == 1;
    out.counted_in = static_cast<std::uint64_t>(reply.number(8));
    return out;
}

} // namespace

void cell_calls::begin(operation& operation, const cell_op& op, command_channel& channel,
                       base::instant counts_until, base::instant now) {
    channel.scripts().ensure(cell_scripts, now);
    channel.clock().refresh(channel.requests(), now);
    operation.not_after = op.not_after;
    channel.send(*this, request_kind::cell, operation, now, [&](std::string& out) {
        const bool arrives = op.action == cell_op::action_kind::arrive;
        write(out, op, arrives ? channel.clock().translate(counts_until) : 0);
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
        append_bulk(out, op.value);
    }
}

bool cell_calls::on_reply(request& request, const reply& reply, base::instant now) {
    if (!is_cell_reply(reply)) { return false; }
    operation& operation = *request.op;
    answer out;
    if (reply.number(0) == fields::cell_found) {
        out.status = op_status::reported;
        out.cell = std::make_shared<const cell_state>(read_cell(reply));
    } else if (const auto server_now = late_since(reply); server_now > 0) {
        operation.channel->clock().learn(server_now, operation.sent, now);
        out.status = op_status::busy;
    } else if (reply.number(0) == fields::answer_other_limit) {
        out = admission::failed_answer(errc::wrong_limit, "it is in use with a count of " +
                                                              std::to_string(reply.number(1)));
    } else {
        out = unknown_reply();
    }
    operation.complete(std::move(out));
    return true;
}

} // namespace holdfast::engine::redis
