// quorum_engine: I/O, the nodes' answers and notices, timers.

#include "holdfast/engine/quorum/internal_tasks.hpp"
#include "holdfast/engine/quorum/node_op_id.hpp"
#include "holdfast/engine/quorum/quorum_engine.hpp"
#include "holdfast/engine/quorum/release_task.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine::quorum {

using base::instant;

instant quorum_engine::drive(std::span<const pollfd> ready, instant now) {
    group_.drive(ready, now);
    return advance(now);
}

/// Handles what the nodes have sent, and sends what follows from it. Returns when it wants to be
/// driven next.
instant quorum_engine::advance(instant now) {
    handle_events(now);
    run_timers(now);
    handle_events(now);
    while (group_.has_submitted()) {
        group_.drive({}, now);
        handle_events(now);
    }
    auto next = std::min({group_.due(), owed.due(), waiters.due()});
    return open_tasks_ > 0 ? std::min(next, earliest_) : next;
}

void quorum_engine::handle_events(instant now) {
    while (auto* const event = group_.next_event()) {
        if (event->is_notice) {
            on_notice(event->member, event->notice, now);
        } else {
            // Handling it may add events, and move this one.
            auto answer = std::move(event->answer);
            on_answer(event->member, answer, now);
        }
    }
}

void quorum_engine::on_answer(unsigned node, answer& answer, instant now) {
    const auto slot = slot_of(answer.id);
    if (slot >= slots_.size() || slots_[slot].task == nullptr ||
        slots_[slot].generation != generation_of(answer.id)) {
        return; // before a reset
    }
    if (is_definite(answer)) {
        nodes.on_contact(node);
    } else if (is_silence(answer)) {
        nodes.on_silence(node, answer.detail, now);
    }
    auto& task = *slots_[slot].task;
    task.on_answered();
    task.on_answer(node, tag_of(answer.id), answer, now);
    remove_if_over(slot);
}

void quorum_engine::on_notice(unsigned node, const notice& notice, instant now) {
    switch (notice.type) {
    case notice::kind::maybe_free: waiters.on_hint(node, notice.number, now); return;
    case notice::kind::broken: on_broken(node, notice.number, now); return;
    case notice::kind::inbox_reset: // a new connection, perhaps to a server that was restarted
        nodes.on_left(node);
        owed.hurry(node, now);
        sink_->noticed(notice);
        return;
    case notice::kind::granted: // never asked for
    case notice::kind::doubtful: return;
    }
}

/// One node's word is not enough: a renewal will tell. But a hold that is not renewed learns of it
/// only by the notices: it is lost when so many nodes have broken it that the others are no
/// majority.
void quorum_engine::on_broken(unsigned node, std::uint64_t number, instant now) {
    auto* const held = book.find_own(number);
    if (held != nullptr) { held->broken.add(node); }
    if (held == nullptr || held->broken.count() <= nodes.size() - majority_of(nodes.size())) {
        return renew_soon(number);
    }
    sink_->noticed({notice::kind::broken, number, held->token});
    give_back(number, now);
}

void quorum_engine::owe(unsigned node, const op& request, instant until, instant now) {
    const auto& owner = ticket_of(request).owner;
    const auto* const withdrawal = std::get_if<withdraw_op>(&request);
    if (withdrawal != nullptr && withdrawal->asks_again) {
        if (auto* const held = book.find(owner)) { // its release will cover that node
            held->nodes.add(node);
            return;
        }
        for (const auto& entry : slots_) {
            const auto* const asked = entry.task == nullptr ? nullptr : entry.task->acquires();
            const bool same = asked != nullptr && asked->owner == owner;
            if (same && entry.task->may_hold(node)) { return; } // it withdraws if it fails
        }
    }
    owed.add(node, request, until, now);
}

void quorum_engine::give_back(std::uint64_t number, instant now) {
    const auto* const held = book.find_own(number);
    if (held == nullptr) { return; }
    task_host& host = *this;
    const op release = release_op{.ticket = held->terms->ticket, .token = held->token};
    auto task = std::make_unique<release_task>(host, 0, release, base::later(now, attempt()));
    task->mark_completed();
    start(std::move(task), now);
}

void quorum_engine::renew_soon(std::uint64_t number) {
    sink_->noticed({notice::kind::doubtful, number, 0});
}

base::milliseconds quorum_engine::attempt() const {
    return group_.member(0).caps(primitive::mutex).attempt;
}

void quorum_engine::on_node_changed(unsigned node, instant now) {
    // What this node is may decide what the others are asked.
    task_host& host = *this;
    for (unsigned other = 0; other < nodes.size(); ++other) {
        if (const auto request = nodes.next_naming(other, now)) {
            start(std::make_unique<join_task>(host, other, *request), now);
        }
    }
    for (std::size_t at = 0; at < slots_.size(); ++at) {
        if (slots_[at].task == nullptr) { continue; }
        slots_[at].task->on_node_changed(node, now);
        remove_if_over(at);
    }
}

void quorum_engine::run_timers(instant now) {
    if (now >= owed.due()) {
        task_host& host = *this;
        for (auto& debt : owed.take_due(now)) {
            start(std::make_unique<debt_task>(host, std::move(debt)), now);
        }
    }
    if (now >= waiters.due()) {
        for (const auto number : waiters.take_due(now)) {
            sink_->noticed({notice::kind::maybe_free, number, 0});
        }
    }
    if (open_tasks_ == 0 || now < earliest_) { return; }
    earliest_ = base::never;
    for (std::size_t at = 0; at < slots_.size(); ++at) {
        auto* const each = slots_[at].task.get();
        if (each == nullptr || !each->is_open()) { continue; }
        if (each->give_up() <= now) { each->on_give_up(now); }
        if (each->is_open()) { earliest_ = std::min(earliest_, each->give_up()); }
        remove_if_over(at);
    }
}

direct_read quorum_engine::start_direct_read() {
    return group_.start_direct_read(majority_of(nodes.size()));
}

instant quorum_engine::finish_direct_read(std::size_t source, ssize_t count, int error,
                                          instant now) {
    group_.finish_direct_read(source, count, error, now);
    return advance(now);
}

/// The replies that a caller waits for.
std::size_t quorum_engine::replies_in_flight() const {
    return open_tasks_ > 0 ? group_.replies_in_flight() : 0;
}

void quorum_engine::reset() noexcept {
    group_.reset();
    // The nodes' answers to what was forgotten find no task. What they may have granted is
    // withdrawn by the tickets' owners, or expires.
    for (std::size_t at = 0; at < slots_.size(); ++at) {
        if (slots_[at].task == nullptr) { continue; }
        slots_[at].task.reset();
        free_.push_back(at); // has room: see add()
    }
    open_tasks_ = 0;
    nodes.on_reset();
}

} // namespace holdfast::engine::quorum
