#include "holdfast/engine/quorum/beat_task.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

beat_task::beat_task(task_host& host, op_id id, const beat_op& op, instant give_up)
    : task{id, give_up}, host_{host}, all_{op}, renewals_{beat_op{}} {
    auto& items = std::get<beat_op>(renewals_).items;
    for (const auto& item : op.items) {
        if (item.waiting) { continue; }
        items.push_back(item);
        items.back().reclaim.reset(); // a majority must have renewed it first
    }
    tallies_.assign(items.size(), renewal_tally{host.nodes.size()});
}

void beat_task::start(instant now) {
    started_ = now;
    for (unsigned node = 0; node < host_.nodes.size() && !tallies_.empty(); ++node) {
        if (host_.nodes.reachable(node, now)) {
            host_.ask(*this, node, tags::renewal, renewals_, give_up(), now);
        } else {
            for (auto& each : tallies_) { each.add(node, op_status::unknown); }
        }
    }
    conclude(now);
}

void beat_task::on_answer(unsigned node, unsigned tag, answer& answer, instant now) {
    if (tag == tags::vote) { return; } // the next renewal confirms it
    if (tag == tags::reclaim) {
        const auto& items = answer.beats;
        for (const auto& item : items) {
            auto* const held = host_.book.find(item.ticket.owner);
            if (item.status == op_status::reclaimed && held != nullptr) {
                held->confirmed.add(node);
                held->broken.remove(node);
            }
        }
        return;
    }
    const bool complete = answer.beats.size() == tallies_.size();
    for (std::size_t at = 0; at < tallies_.size(); ++at) {
        const auto status = complete ? answer.beats[at].status : op_status::unknown;
        tallies_[at].add(node, status);
        if (status != op_status::renewed) { continue; }
        if (auto* const held = host_.book.find(answer.beats[at].ticket.owner)) {
            held->nodes.add(node);
            held->confirmed.add(node);
            held->broken.remove(node);
        }
    }
    if (is_open()) {
        conclude(now);
    } else {
        reclaim_from(node, now);
    }
}

void beat_task::on_give_up(instant now) {
    for (unsigned node = 0; node < host_.nodes.size(); ++node) {
        for (auto& each : tallies_) {
            if (!each.decided()) { each.add(node, op_status::unknown); }
        }
    }
    conclude(now);
}

void beat_task::conclude(instant now) {
    const auto decided = [](const renewal_tally& tally) { return tally.decided(); };
    if (!std::all_of(tallies_.begin(), tallies_.end(), decided)) { return; }
    answer out;
    out.status = op_status::renewed;
    std::size_t at = 0;
    for (const auto& item : all_.items) {
        auto& each = out.beats.emplace_back();
        each.ticket = item.ticket;
        each.status = item.waiting ? op_status::lost : tallies_[at++].verdict();
        // Some nodes may have renewed it, and would keep their votes for a whole lease: its holder
        // releases it, once it knows that it is lost.
        if (each.status == op_status::lost && !item.waiting) {
            each.error = make_error_code(errc::no_quorum);
        }
        if (each.status != op_status::unknown) { continue; }
        each.error = make_error_code(errc::no_quorum);
        each.detail = "only " + std::to_string(tallies_[at - 1].renewed()) + " of " +
                      std::to_string(host_.nodes.size()) + " nodes have renewed the lease";
    }
    note_renewed(now);
    host_.complete(*this, std::move(out));
    for (unsigned node = 0; node < host_.nodes.size(); ++node) { reclaim_from(node, now); }
}

void beat_task::note_renewed(instant now) {
    for (const auto& item : std::get<beat_op>(renewals_).items) {
        auto* const held = host_.book.find(item.ticket.owner);
        if (held == nullptr) { continue; }
        held->until = std::max(held->until, base::later(now, longest_life(item.lease)));
    }
}

/// Only after a majority has renewed: then nobody else can have a majority, and the vote is the
/// holder's.
void beat_task::reclaim_from(unsigned node, instant now) {
    beat_op again;
    const auto& items = std::get<beat_op>(renewals_).items;
    for (std::size_t at = 0; at < items.size(); ++at) {
        if (tallies_[at].verdict() != op_status::renewed || !tallies_[at].lost_by(node)) {
            continue;
        }
        auto* const held = host_.book.find(items[at].ticket.owner);
        if (held == nullptr || host_.barred.has(items[at].ticket.owner.number, node, now)) {
            continue;
        }
        host_.owed.drop(node, items[at].ticket.owner);
        held->nodes.add(node); // from now on it may have a vote
        auto terms = std::make_shared<acquire_op>(*held->terms);
        // The token of a release stops a writer's reclaim that arrives after it. Readers withdraw.
        if (terms->mode != mode::exclusive) { held->confirmed.remove(node); }
        terms->not_after = base::later(now, host_.settings.timeout_for(items[at].lease));
        terms->lease = items[at].lease;
        terms->queue = queueing::no;
        held->until =
            std::max(held->until, base::later(terms->not_after, longest_life(items[at].lease)));
        terms->node_id = host_.nodes.id_to_check(node);
        if (!host_.proposes(items[at].ticket.format)) { // there a vote can only be asked for anew
            held->confirmed.remove(node);               // so that a release also stops this request
            const op acquire = *terms;
            host_.ask(*this, node, tags::vote, acquire, terms->not_after, now);
            continue;
        }
        auto& item = again.items.emplace_back(items[at]);
        item.token = held->token;
        item.reclaim = std::move(terms);
    }
    if (again.items.empty()) { return; }
    host_.ask(*this, node, tags::reclaim, again, base::later(now, base::milliseconds{1000}), now);
}

} // namespace holdfast::engine::quorum
