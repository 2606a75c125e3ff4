// redis_engine: what it does only for a cluster.

#include "holdfast/engine/redis/list_walk.hpp"
#include "holdfast/engine/redis/op_target.hpp"
#include "holdfast/engine/redis/redis_engine.hpp"
#include "holdfast/engine/redis/split_beat.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace holdfast::engine::redis {

using base::instant;

namespace {

/// Nodes may disagree for a moment about who serves a slot.
constexpr unsigned max_redirections = 5;

} // namespace

bool redis_engine::send_beat_in_parts(operation_ref& operation, const op& op, instant give_up) {
    const auto* const beat = std::get_if<beat_op>(&op);
    if (beat == nullptr || beat->items.empty()) { return false; }
    operation->leave_deadline_to_parts();
    part_submitter& parts = *this;
    const auto split = std::make_shared<split_beat>(std::move(operation), *beat, parts, give_up);
    split->send([this](const beat_op::item& item) {
        return &topology_->node_for({&item.ticket.format, item.ticket.name});
    });
    return true;
}

/// An acquire may be on its way to a former node when its withdrawal goes to the present one. If it
/// were redirected then, it would arrive behind the withdrawal, and the lock would stay taken.
void redis_engine::note_ticket(operation& operation, const op& op) {
    if (const auto* const acquire = std::get_if<acquire_op>(&op)) {
        operation.ticket = acquire->ticket;
    } else if (const auto* const set = std::get_if<acquire_set_op>(&op)) {
        for (const auto& item : set->items) { operation.items.push_back(item.ticket); }
    } else if (const auto* const withdraw = std::get_if<withdraw_op>(&op)) {
        const auto& owner = withdraw->ticket.owner;
        operations_.for_each_open([&](redis::operation& each) {
            const bool has_it =
                each.ticket.owner == owner ||
                std::any_of(each.items.begin(), each.items.end(),
                            [&](const ticket& item) { return item.owner == owner; });
            if (has_it) { each.routing.withdrawn = true; }
        });
    }
}

void redis_engine::submit_part(const op& op, node* at, std::shared_ptr<answer_receiver> receiver,
                               instant give_up) {
    const auto target = target_of(op);
    auto operation = operations_.start(0, give_up);
    operation->receiver = std::move(receiver);
    operation->routing.at = at;
    node& node = node_for(*operation, op);
    route(std::move(operation), op, layouts_.for_format(*target.format), node);
}

/// Keeps what is sent, for a redirection. True: the operation is not sent, or in parts.
bool redis_engine::keep_or_split(operation& operation, const op& op, node& node) {
    if (const auto* const list = std::get_if<list_op>(&op);
        list != nullptr && operation.routing.at == nullptr) {
        operation.channel = &node.channel();
        send_list_page(operation_ref{operation}, *list, *topology_, *this, operation.give_up());
        return true;
    }
    const bool acquires =
        std::holds_alternative<acquire_op>(op) || std::holds_alternative<acquire_set_op>(op);
    if (operation.routing.withdrawn && acquires) {
        operation.fail(errc::unavailable, node.server() + ": it was withdrawn before it was sent");
        return true;
    }
    operation.routing.keep(op);
    return false;
}

/// Only operations on one lock are redirected: a list leaves out what is being moved.
bool redis_engine::on_redirected(node& to, bool asks, request& request, instant now) {
    if (!request.op || request.op->routing.sent == nullptr ||
        target_of(*request.op->routing.sent).name.empty()) {
        return false;
    }
    if (!request.op->is_open() && !request.merged) { // a withdrawal of what nobody waits for
        return !asks && to.is_ready() && ++request.op->routing.redirections <= max_redirections &&
               request.handler->resend(request, to.channel(), now);
    }
    for (const auto* const each : {&request.merged, &request.op}) {
        if (*each && (*each)->is_open()) { resend(**each, to, asks); }
    }
    return true;
}

void redis_engine::resend(operation& operation, node& to, bool asks) {
    if (++operation.routing.redirections > max_redirections) {
        return operation.fail(errc::unavailable,
                              to.server() + ": the nodes of the cluster disagree about who serves "
                                            "this lock; try again");
    }
    operation.forget_requests();
    operation.routing.at = asks ? &to : nullptr;
    operation.routing.asking_first = operation.routing.slot_is_moving = asks;
    const op& op = *operation.routing.sent;
    node& node = node_for(operation, op);
    auto& layout = layouts_.for_format(*target_of(op).format);
    // It was ahead of what waits for other nodes, and an ASK that has to wait is not used.
    if (asks && node.is_ready()) { return begin(operation, op, layout, node, clock()); }
    route(operation_ref{operation}, op, layout, node);
}

} // namespace holdfast::engine::redis
