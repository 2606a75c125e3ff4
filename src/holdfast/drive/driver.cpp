#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;
using base::never;

driver::driver(std::unique_ptr<engine::engine> what, const base::time_source& time)
    : time_{time}, engine_{std::move(what)} {
    engine_->attach(*this);
}

driver::~driver() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.ring();
    keeper_woken_.notify_all();
    if (keeper_.joinable()) { keeper_.join(); }
}

void driver::send(participant& who, purpose why, const engine::op& what, instant give_up) {
    const auto id = ++last_op_;
    flights_.add(id, {who.shared_from_this(), why, now()});
    submitted_ = true;
    engine_->submit(id, what, give_up);
}

void driver::beat(participant& who, engine::beat_op::item what, instant useful_until) {
    beats_.push_back({who.shared_from_this(), std::move(what), useful_until});
}

void driver::listen(std::uint64_t number, participant& who) {
    listeners_.set(number, who.shared_from_this());
}

void driver::ready(sleeper& who) {
    if (leader_polls_for_ == &who) { wake_.ring(); } // it sleeps in poll()
    if (followers::has(who)) {
        followers_.remove(who);
        dormitory_.call(who);
    }
    const bool was_to_lead = chosen_ == &who;
    who.set(sleeper::state::ready); // from here on it may be gone
    if (was_to_lead) {
        chosen_ = nullptr;
        choose_leader();
    }
}

void driver::settle() {
    if (settling_) { return; } // a participant that is being served asked for it
    settling_ = true;
    hand_out_all();
    if (submitted_) {
        submitted_ = false;
        if (!flights_.empty() || !beat_flights_.empty()) {
            engine_due_ = engine_->drive({}, now());
            hand_out_all();
        }
        if (keeper_polls_) { tell_keeper_of_new_descriptors(); }
    }
    settling_ = false;
    wake_.arm(next_due());
}

void driver::hand_out_all() {
    while (true) { // what is handed out may set more in motion
        if (!answers_.empty()) {
            hand_out_answers();
        } else if (!notices_.empty()) {
            hand_out_notices();
        } else if (!beats_.empty()) {
            send_beats();
        } else {
            return;
        }
    }
}

void driver::hand_out_answers() {
    handing_out_.swap(answers_);
    // The process may have been stopped since the turn began: whether an answer came in time is not
    // to be judged by an old clock (P2).
    if (!just_looked_) { look_at_clock(); }
    const auto at = now();
    for (const auto& what : handing_out_) {
        if (const auto to = flights_.take(what.id)) {
            to->who->on_answer(to->why, what, to->sent, at);
        } else if (const auto beaten = beat_flights_.find(what.id); beaten != beat_flights_.end()) {
            const auto batch = std::move(beaten->second);
            beat_flights_.erase(beaten);
            answer_beats(batch, what, at);
        }
    }
    handing_out_.clear();
}

void driver::answer_beats(const beat_flight& batch, const engine::answer& what, instant at) {
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (i < what.beats.size()) {
            item.who->on_beat(what.beats[i], batch.sent, item.what.lease, at);
        } else { // the batch as a whole failed, or its answer was lost
            engine::beat_answer none;
            none.what = engine::fate::unknown;
            none.error = what.error;
            none.detail = what.detail;
            item.who->on_beat(none, batch.sent, item.what.lease, at);
        }
    }
}

void driver::hand_out_notices() {
    const auto batch = std::exchange(notices_, {});
    look_at_clock();
    const auto at = now();
    for (const auto& what : batch) {
        if (what.what == engine::notice::kind::inbox_reset) {
            std::vector<std::shared_ptr<participant>> all;
            all.reserve(listeners_.size());
            listeners_.each([&](const auto& who) { all.push_back(who); });
            for (const auto& who : all) { who->on_notice(what, at); }
        } else if (const auto* const found = listeners_.find(what.number)) {
            const auto who = *found;
            who->on_notice(what, at);
        }
    }
}

/// Moves the next batch to the front; how many it has. They are written in the same way, and none
/// is given up in less than half of its own time because another is more urgent.
std::size_t driver::gather_batch(std::span<beat_request> rest) const {
    const auto& format = rest.front().what.who.how;
    auto soonest = never;
    for (const auto& request : rest) {
        if (request.what.who.how == format) { soonest = std::min(soonest, request.useful_until); }
    }
    const auto latest = std::max(soonest, base::later(soonest, soonest - now()));
    const auto others = std::stable_partition(
        rest.begin(), rest.end(), [format = format, latest](const beat_request& request) {
            return request.what.who.how == format && request.useful_until <= latest;
        });
    return std::min(engine::most_beats, static_cast<std::size_t>(others - rest.begin()));
}

void driver::send_beats() {
    auto all = std::exchange(beats_, {});
    const auto at = now();
    for (std::size_t first = 0, count = 0; first < all.size(); first += count) {
        count = gather_batch(std::span{all}.subspan(first));
        engine::beat_op what;
        what.items.reserve(count);
        beat_flight batch{{}, at};
        batch.items.reserve(count);
        instant give_up = never;
        for (std::size_t i = first; i < first + count; ++i) {
            give_up = std::min(give_up, all[i].useful_until);
            what.items.push_back(all[i].what);
            batch.items.push_back(std::move(all[i]));
        }
        const auto id = ++last_op_;
        beat_flights_.emplace(id, std::move(batch));
        submitted_ = true;
        engine_->submit(id, what, give_up);
    }
}

void driver::run_due(instant at) {
    while (auto* const first = timers_.first()) {
        if (first->due() > at) { break; }
        timers_.drop(*first);
        // Only participants are ever put into the heap.
        const auto who = static_cast<participant*>(first)->shared_from_this();
        who->on_timer(at);
    }
}

void driver::cancel(std::shared_ptr<participant> who) noexcept {
    {
        const std::lock_guard lock{cancel_mutex_};
        cancels_.push_back(std::move(who));
        cancelled_.store(true, std::memory_order_release);
    }
    wake_.ring();
}

void driver::take_cancels(instant at) {
    if (!cancelled_.load(std::memory_order_acquire)) { return; }
    std::vector<std::shared_ptr<participant>> all;
    {
        const std::lock_guard lock{cancel_mutex_};
        all.swap(cancels_);
        cancelled_.store(false, std::memory_order_release);
    }
    for (const auto& who : all) { who->on_cancel(at); }
}

} // namespace holdfast::drive
