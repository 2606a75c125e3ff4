#include "holdfast/engine/redis/layout/cell_replies.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/misuse_texts.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/layout/lock_replies.hpp"
#include "holdfast/engine/redis/node/command_channel.hpp"

#include <holdfast/error.hpp>

#include <memory>
#include <utility>

namespace holdfast::engine::redis {

namespace {

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

bool complete_cell(operation& operation, const reply& reply, base::instant now) {
    if (!is_cell_reply(reply)) { return false; }
    answer out;
    if (reply.number(0) == fields::cell_found) {
        out.status = op_status::reported;
        out.cell = std::make_shared<const cell_state>(read_cell(reply));
    } else if (const auto server_now = late_since(reply); server_now > 0) {
        operation.channel->clock().learn(server_now, operation.sent, now);
        out.status = op_status::busy;
    } else if (reply.number(0) == fields::answer_other_limit) {
        out = admission::failed_answer(errc::wrong_limit, other_count_text(reply.number(1)));
    } else {
        out = unknown_reply();
    }
    operation.complete(std::move(out));
    return true;
}

} // namespace holdfast::engine::redis
