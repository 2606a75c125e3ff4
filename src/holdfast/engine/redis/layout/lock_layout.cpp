#include "holdfast/engine/redis/layout/lock_layout.hpp"

#include "holdfast/engine/redis/layout/lock_replies.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::redis {

base::instant lock_layout::counts_until(base::instant not_after,
                                        base::instant sent) const noexcept {
    // The server treats a longer one as a sign that its clock was set back.
    constexpr base::milliseconds longest{50'000};
    return std::min(not_after, base::later(sent, std::min(options_.command_timeout, longest)));
}

bool lock_layout::fail_if_not_late(operation& acquire, const reply& reply, base::instant now) {
    const auto server_now = late_since(reply);
    if (server_now <= 0) { return false; }
    acquire.channel->clock().learn(server_now, acquire.sent, now);
    if (now > acquire.not_after || !acquire.is_open()) { return false; }
    // The estimate of the server's clock was wrong, or the server is slow.
    const bool in_time = now <= counts_until(acquire);
    acquire.fail(errc::unavailable,
                 "Redis at " + acquire.channel->server() +
                     (in_time ? ": its clock has been changed; try again"
                              : ": it is too slow; try again later"),
                 op_status::failed, in_time);
    return true;
}

void note_items(operation& operation, const beat_op& op) {
    operation.items.reserve(op.items.size());
    for (const auto& item : op.items) {
        operation.items.push_back(item.ticket);
        operation.renews = operation.renews || !item.waiting;
    }
}

bool complete_beats(operation& operation, const reply& reply, op_status reclaimed) {
    if (!reply.is_array() || reply.size() != operation.items.size()) { return false; }
    answer out;
    out.status = op_status::renewed; // the batch as a whole was done
    out.beats.reserve(operation.items.size());
    for (std::size_t at = 0; at < operation.items.size(); ++at) {
        out.beats.push_back(read_beat(reply[at], operation.channel->server()));
        auto& last = out.beats.back();
        last.ticket = operation.items[at];
        if (last.status == op_status::reclaimed) { last.status = reclaimed; }
        if (last.status == op_status::unknown && reply[at].is_text()) {
            operation.routing.elsewhere.push_back(at);
        }
    }
    operation.complete(std::move(out));
    return true;
}

bool complete_number(operation& operation, const reply& reply,
                     answer (*read)(const redis::reply&)) {
    if (!reply.is_integer()) { return false; }
    operation.complete(read(reply));
    return true;
}

bool complete_inspection(operation& operation, const reply& reply,
                         lock_info (*read)(const redis::reply&, std::string name)) {
    if (!is_inspect_reply(reply)) { return false; }
    report found;
    found.locks.push_back(read(reply, operation.ticket.name));
    operation.complete(std::move(found));
    return true;
}

} // namespace holdfast::engine::redis
