#include "holdfast/drive/dispatcher.hpp"

#include "holdfast/drive/delivery.hpp"

#include <holdfast/error.hpp>

#include <span>
#include <utility>

namespace holdfast::drive {

/// Throws only if nothing was submitted.
void dispatcher::submit(participant& participant, purpose purpose, const engine::op& operation,
                        base::instant give_up) {
    answers_.reserve(in_flight() + 1);
    const auto id = engine_.next_id();
    operations_.add(id, {participant.shared_from_this(), purpose, clock_.now()});
    engine_.submit(id, operation, give_up, clock_.now());
}

bool dispatcher::recall(const participant& participant, purpose purpose) noexcept {
    const auto id = operations_.find_last([&](const sent_operation& each) {
        return each.participant.get() == &participant && each.purpose == purpose;
    });
    if (!id) { return false; }
    try {
        if (!engine_->recall(*id)) { return false; }
    } catch (...) { return false; }
    return operations_.take(*id).has_value();
}

bool dispatcher::settle_all() noexcept {
    settling_ = true;
    deliver_all();
    const bool submitted = engine_.take_submitted();
    if (submitted && !idle()) {
        engine_.drive({}, clock_.now());
        deliver_all();
    }
    settling_ = false;
    return submitted;
}

void dispatcher::deliver_all() noexcept {
    while (true) { // a delivery may lead to new requests and answers
        if (!answers_.empty()) {
            deliver_answers();
        } else if (engine_.has_lost()) {
            deliver_lost();
        } else if (!unsent_.empty()) {
            unsent_.deliver_first(clock_.now());
        } else if (notices_.ready(clock_.now())) {
            clock_.refresh();
            notices_.deliver(clock_.now());
        } else if (heartbeats_.pending()) {
            send_heartbeats();
        } else {
            return;
        }
    }
}

void dispatcher::deliver_answers() noexcept {
    clock_.refresh_unless_current();
    const auto now = clock_.now();
    answers_.handle_all([&](const engine::answer& answer) {
        if (const auto found = operations_.take(answer.id)) {
            deliver_answer(*found->participant, found->purpose, answer, found->sent, now);
        } else {
            heartbeats_.complete(answer, now);
        }
    });
}

/// Runs after deliver_answers(), so answers that the engine gave before it threw come first.
void dispatcher::deliver_lost() noexcept {
    const auto last = engine_.take_lost();
    const auto now = clock_.now();
    notices_.on_missed(now); // the engine may have dropped some
    engine::answer lost;
    lost.error = make_error_code(errc::unavailable);
    try {
        lost.detail = engine_.failure();
    } catch (...) { lost.detail.clear(); }
    while (const auto found = operations_.take_first(last)) {
        deliver_answer(*found->participant, found->purpose, lost, found->sent, now);
    }
    heartbeats_.fail_up_to(last, lost, now);
}

void dispatcher::send_heartbeats() noexcept {
    auto requests = heartbeats_.take_pending();
    std::span rest{requests};
    try {
        while (!rest.empty()) {
            answers_.reserve(in_flight() + 1);
            const auto id = engine_.next_id();
            const auto batch = heartbeats_.start(rest, id, clock_.now());
            rest = rest.subspan(batch.count);
            engine_.submit(id, batch.operation, batch.give_up, clock_.now());
        }
    } catch (...) {
        for (const auto& request : rest) {
            unsent_.add_beat(*request.participant, request.item.lease);
        }
    }
}

void dispatcher::run_timers() noexcept {
    const auto now = clock_.now();
    while (auto* const first = timers_.first()) {
        if (first->due() > now) { break; }
        timers_.drop(*first);
        // Only participants are ever put into the heap.
        const auto due = static_cast<participant*>(first)->shared_from_this();
        due->on_timer(now);
    }
}

} // namespace holdfast::drive
