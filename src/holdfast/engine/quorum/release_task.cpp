#include "holdfast/engine/quorum/release_task.hpp"

#include <holdfast/error.hpp>

#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

release_task::release_task(task_host& host, op_id id, const op& op, instant give_up)
    : task{id, give_up}, host_{host}, request_{op} {}

void release_task::start(instant now) {
    const bool withdraws = std::holds_alternative<withdraw_op>(request_);
    if (withdraws) { host_.abort_acquires(released(), now); }
    if (released().owner.client == host_.client) { // else it is what an operator releases
        host_.waiters.remove(released().owner.number, false);
        host_.barred.remove(released().owner.number);
    }
    const auto record = host_.book.take(released().owner);
    // Without a record: another client's, or this one waited on all nodes.
    asked_ = record ? record->nodes : node_set::all(host_.nodes.size());
    votes_until_ = record ? record->until : base::instant{};
    if (record) {
        unconfirmed_ = record->nodes;
        unconfirmed_.remove(record->confirmed);
    }
    tally_ = {host_.nodes.size(), asked_};
    for (unsigned node = 0; node < host_.nodes.size(); ++node) {
        if (!asked_.has(node)) { continue; }
        if (host_.nodes.reachable(node, now)) {
            host_.ask(*this, node, 0, request_to(node), give_up(), now);
        } else {
            owe(node, now);
            tally_.add(node, op_status::unknown);
        }
    }
    conclude(now);
}

/// Of an acquire without an answer, a withdrawal also stops what is still on its way. A confirmed
/// vote is released: its node keeps it until min_hold is over.
op release_task::request_to(unsigned node) const {
    return unconfirmed_.has(node) ? op{withdraw_op{released()}} : request_;
}

void release_task::owe(unsigned node, instant now) {
    auto request = request_to(node);
    if (auto* const release = std::get_if<release_op>(&request)) { // the engine awaits its answer
        release->awaited = true;
        release->can_wait = false;
    }
    host_.owed.add(node, request, votes_until_, now);
}

void release_task::on_answer(unsigned node, unsigned /*tag*/, answer& answer, instant now) {
    if (!is_definite(answer)) { owe(node, now); }
    tally_.add(node, answer.status);
    if (is_open()) { conclude(now); }
}

void release_task::on_give_up(instant now) {
    for (unsigned node = 0; node < host_.nodes.size(); ++node) {
        if (asked_.has(node)) { tally_.add(node, op_status::unknown); }
    }
    conclude(now);
}

void release_task::conclude(instant /*now*/) {
    if (!is_open() || !tally_.decided()) { return; }
    answer out;
    out.status = tally_.verdict();
    if (out.status == op_status::unknown) {
        out.error = make_error_code(errc::no_quorum);
        out.detail = "too few nodes of the quorum have confirmed the release";
    }
    host_.complete(*this, std::move(out));
}

} // namespace holdfast::engine::quorum
