#include "sim/world/flawed_node.hpp"

#include <variant>

namespace holdfast::sim {

using seam::op_status;

void flawed_node::change(seam::acquire_op& acquire) {
    const auto number = acquire.ticket.owner.number;
    if (planted_ == mistake::queues_on_nodes && acquire.queue == seam::queueing::listen) {
        acquire.queue = seam::queueing::grant;
    }
    if (planted_ == mistake::reclaim_counted) {
        terms_[number] = std::make_shared<const seam::acquire_op>(acquire);
    }
}

/// Each renewal makes a lost vote again.
void flawed_node::change(seam::beat_op& beat) {
    if (planted_ != mistake::reclaim_counted) { return; }
    for (auto& item : beat.items) {
        const auto found = terms_.find(item.ticket.owner.number);
        if (item.waiting || found == terms_.end()) { continue; }
        auto terms = std::make_shared<seam::acquire_op>(*found->second);
        terms->not_after = now() + base::milliseconds{1000};
        item.reclaim = std::move(terms);
    }
}

bool flawed_node::is_left_out(const seam::ticket& ticket, bool asks_again) const {
    if (planted_ == mistake::release_granted_only) {
        return !granted_.contains(ticket.owner.number);
    }
    // Whoever waits in a queue keeps the votes that it has.
    return planted_ == mistake::queues_on_nodes && asks_again;
}

void flawed_node::submit(seam::op_id id, const seam::op& operation, base::instant give_up) {
    auto changed = operation;
    bool left_out = false;
    if (auto* const acquire = std::get_if<seam::acquire_op>(&changed)) {
        acquires_[id] = acquire->ticket.owner.number;
        change(*acquire);
    } else if (auto* const beat = std::get_if<seam::beat_op>(&changed)) {
        change(*beat);
    } else if (auto* const withdraw = std::get_if<seam::withdraw_op>(&changed)) {
        left_out = is_left_out(withdraw->ticket, withdraw->asks_again);
        if (planted_ == mistake::tombstone_kept) { withdraw->asks_again = false; }
    } else if (const auto* const release = std::get_if<seam::release_op>(&changed)) {
        left_out = is_left_out(release->ticket, false);
    }
    if (!left_out) { return real_->submit(id, changed, give_up); }
    seam::answer out;
    out.id = id;
    out.status = op_status::not_held;
    out_->answered(std::move(out));
}

void flawed_node::answered(seam::answer&& answer) {
    if (const auto found = acquires_.extract(answer.id)) {
        if (answer.status == op_status::granted) { granted_.insert(found.mapped()); }
    }
    if (planted_ == mistake::reclaim_counted) {
        for (auto& beat : answer.beats) {
            if (beat.status == op_status::reclaimed) { beat.status = op_status::renewed; }
        }
    }
    out_->answered(std::move(answer));
}

} // namespace holdfast::sim
