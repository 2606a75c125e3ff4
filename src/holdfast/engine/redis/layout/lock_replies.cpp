#include "holdfast/engine/redis/layout/lock_replies.hpp"

#include "holdfast/engine/admission/request_validation.hpp"
#include "holdfast/engine/redis/fields.hpp"
#include "holdfast/engine/redis/protocol/server_error.hpp"

#include <holdfast/error.hpp>

#include <chrono>
#include <utility>

namespace holdfast::engine::redis {

namespace {

answer status_only(op_status status) {
    answer out;
    out.status = status;
    return out;
}

} // namespace

bool is_acquire_reply(const reply& reply) {
    return reply.is_integer() || (reply.is_array() && reply.number(0) > 0);
}

bool is_inspect_reply(const reply& reply) { return reply.size() == 6; }

std::int64_t late_since(const reply& reply) {
    return reply.number(0) == fields::answer_late ? reply.number(1) : 0;
}

answer no_tokens_left() {
    return admission::failed_answer(
        errc::internal, "the next token would not be below 2^53: is the server's clock right?");
}

answer too_many_permits(std::int64_t limit) {
    return admission::failed_answer(errc::invalid_option,
                                    "permits: more than the limit, which is " +
                                        std::to_string(limit) + ", were requested");
}

answer unknown_reply() {
    return admission::failed_answer(errc::internal, "an answer that this version does not know");
}

std::string stale_text(const std::string& server) {
    return "Redis at " + server + ": it has lost data, or was replaced; try again";
}

answer read_release(const reply& reply) {
    if (!reply.is_integer()) { return unknown_reply(); }
    switch (reply.integer()) {
    case fields::release_not_held: return status_only(op_status::not_held);
    case fields::release_done: return status_only(op_status::released);
    case fields::release_handed_off: return status_only(op_status::handed_off);
    default: return unknown_reply();
    }
}

answer read_withdraw(const reply& reply) {
    if (!reply.is_integer()) { return unknown_reply(); }
    if (reply.integer() == fields::withdraw_late) {
        auto late = admission::failed_answer(
            errc::unavailable,
            "a withdrawal came too late: the server is slow, or its clock has been changed");
        late.retry_now = true;
        return late;
    }
    return status_only(reply.integer() == 0 ? op_status::not_held : op_status::released);
}

beat_answer read_beat(const reply& reply, const std::string& server) {
    beat_answer out;
    if (reply.is_integer()) {
        out.status = reply.integer() == fields::beat_renewed ? op_status::renewed : op_status::lost;
        if (reply.integer() == fields::beat_reclaimed) { out.status = op_status::reclaimed; }
        if (reply.integer() == fields::beat_stale) {
            out.status = op_status::unknown;
            out.error = make_error_code(errc::unavailable);
            out.detail = stale_text(server);
        }
    } else if (reply.is_array() && reply.number(0) == 0) {
        out.status = op_status::granted;
        out.token = static_cast<std::uint64_t>(reply.number(1));
    } else if (reply.is_array()) {
        out.status = op_status::queued;
        out.ahead = static_cast<unsigned>(reply.number(1));
        out.check_in = std::chrono::microseconds{reply.number(2)};
    } else {
        auto text = reply.text();
        if (text.starts_with('-')) { text.remove_prefix(1); }
        auto error = parse_server_error(text, server);
        out.status = error.may_be_done ? op_status::unknown : op_status::failed;
        out.error = error.code;
        out.detail = std::move(error.detail);
    }
    return out;
}

} // namespace holdfast::engine::redis
