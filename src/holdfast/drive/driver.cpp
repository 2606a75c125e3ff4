#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;
using base::never;

driver::driver(std::unique_ptr<engine::engine> engine, const base::time_source& time)
    : time_{time}, engine_{std::move(engine)} {
    constexpr std::size_t usual = wake_up::count + 4; // at least what wake_ needs
    keeper_polled_.reserve(usual);
    leader_polled_.reserve(usual);
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

/// Throws only if nothing was submitted.
void driver::submit(participant& participant, purpose why, const engine::op& operation,
                    instant give_up) {
    make_room_for_an_answer();
    const auto id = ++last_op_;
    flights_.add(id, {participant.shared_from_this(), why, now()});
    start(id, operation, give_up);
}

void driver::start(engine::op_id id, const engine::op& operation, instant give_up) noexcept {
    submitted_ = true;
    guarded([&] { engine_->submit(id, operation, give_up); });
}

/// The engine must never be unable to give its answer.
void driver::make_more_room_for_answers() {
    constexpr std::size_t least = 8;
    const auto more = std::max(least, 2 * room_for_answers_);
    answers_.reserve(more);
    handing_out_.reserve(more);
    room_for_answers_ = more;
}

void driver::noticed(const engine::notice& notice) {
    try {
        notices_.push_back(notice);
    } catch (const std::bad_alloc&) { miss_notices(); }
}

void driver::ready(sleeper& sleeper) {
    if (leader_polls_for_ == &sleeper) { wake_.ring(); } // it sleeps in poll()
    if (followers::has(sleeper)) {
        followers_.remove(sleeper);
        sleepers_.call(sleeper);
    }
    const bool was_to_lead = chosen_ == &sleeper;
    sleeper.set(sleeper::state::ready); // from here on it may be gone
    if (was_to_lead) {
        chosen_ = nullptr;
        choose_leader();
    }
}

void driver::settle() noexcept {
    if (settling_) { return; } // a participant that is being served asked for it
    settling_ = true;
    hand_out_all();
    if (submitted_) {
        submitted_ = false;
        if (!flights_.empty() || !beat_flights_.empty()) {
            guarded([&] { engine_due_ = engine_->drive({}, now()); });
            hand_out_all();
        }
        if (keeper_polls_) { tell_keeper_of_new_descriptors(); }
    }
    settling_ = false;
    wake_.arm(next_due());
}

void driver::hand_out_all() noexcept {
    while (true) { // what is handed out may set more in motion
        if (!answers_.empty()) {
            hand_out_answers();
        } else if (lost_up_to_ != 0) {
            hand_out_lost();
        } else if (unsent_) {
            hand_out_unsent();
        } else if (!notices_.empty() || reset_due_ <= now()) {
            hand_out_notices();
        } else if (!beats_.empty()) {
            send_beats();
        } else {
            return;
        }
    }
}

void driver::hand_out_answers() noexcept {
    handing_out_.swap(answers_);
    // The process may have been stopped since the turn began: whether an answer came in time is not
    // to be judged by an old clock (P2).
    if (!just_looked_) { look_at_clock(); }
    const auto at = now();
    for (const auto& answer : handing_out_) {
        if (const auto to = flights_.take(answer.id)) {
            tell_answer(*to->participant, to->why, answer, to->sent, at);
        } else if (const auto beaten = beat_flights_.find(answer.id);
                   beaten != beat_flights_.end()) {
            const auto batch = std::move(beaten->second);
            beat_flights_.erase(beaten);
            answer_beats(batch, answer, at);
        }
    }
    handing_out_.clear();
}

void driver::answer_beats(const beat_flight& batch, const engine::answer& answer,
                          instant at) noexcept {
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (i < answer.beats.size()) {
            tell_beat(*item.participant, answer.beats[i], batch.sent, item.item.lease, at);
        } else { // the batch as a whole failed, or its answer was lost
            engine::beat_answer none;
            none.status = engine::op_status::unknown;
            none.error = answer.error;
            try {
                none.detail = answer.detail;
            } catch (const std::bad_alloc&) { none.detail.clear(); }
            tell_beat(*item.participant, none, batch.sent, item.item.lease, at);
        }
    }
}

void driver::hand_out_notices() noexcept {
    handing_out_notices_.swap(notices_);
    look_at_clock();
    const auto at = now();
    if (reset_due_ <= at) {
        reset_due_ = never;
        tell_all_of_reset(at);
    }
    for (const auto& notice : handing_out_notices_) {
        if (notice.type == engine::notice::kind::inbox_reset) {
            tell_all_of_reset(at);
        } else if (const auto found = listeners_.find(notice.number)) {
            tell_notice(*found, notice, at);
        }
    }
    handing_out_notices_.clear();
}

/// Moves the next batch to the front; how many it has. They are written in the same way, and none
/// is given up in less than half of its own time because another is more urgent.
std::size_t driver::gather_batch(std::span<beat_request> rest) const {
    const auto format = rest.front().item.ticket.format;
    auto soonest = never;
    for (const auto& request : rest) {
        if (request.item.ticket.format == format) {
            soonest = std::min(soonest, request.useful_until);
        }
    }
    const auto latest = std::max(soonest, base::later(soonest, soonest - now()));
    const auto others =
        std::stable_partition(rest.begin(), rest.end(), [&](const beat_request& request) {
            return request.item.ticket.format == format && request.useful_until <= latest;
        });
    return std::min(engine::most_beats, static_cast<std::size_t>(others - rest.begin()));
}

void driver::send_beats() noexcept {
    auto all = std::exchange(beats_, {});
    std::size_t first = 0;
    try {
        while (first < all.size()) { first += send_batch(all, first); }
    } catch (...) {
        for (; first < all.size(); ++first) {
            beat_not_sent(*all[first].participant, all[first].item.lease);
        }
    }
}

/// Those from `first` on that are written in the same way as it is, as many as fit into a batch:
/// they are moved to the front, and it says how many they are. Throws only if nothing was
/// submitted.
std::size_t driver::send_batch(std::vector<beat_request>& all, std::size_t first) {
    const auto count = gather_batch(std::span{all}.subspan(first));
    engine::op operation{std::in_place_type<engine::beat_op>};
    auto& items = std::get<engine::beat_op>(operation).items;
    items.reserve(count);
    instant give_up = never;
    for (std::size_t i = first; i < first + count; ++i) {
        give_up = std::min(give_up, all[i].useful_until);
        items.push_back(all[i].item);
    }
    beat_flight batch{{}, now()};
    batch.items.reserve(count);
    make_room_for_an_answer();
    const auto id = ++last_op_;
    auto& kept = beat_flights_.emplace(id, std::move(batch)).first->second;
    // From here on nothing throws.
    for (std::size_t i = first; i < first + count; ++i) { kept.items.push_back(std::move(all[i])); }
    start(id, operation, give_up);
    return count;
}

void driver::run_due(instant at) noexcept {
    while (auto* const first = timers_.first()) {
        if (first->due() > at) { break; }
        timers_.drop(*first);
        // Only participants are ever put into the heap.
        const auto owner = static_cast<participant*>(first)->shared_from_this();
        owner->on_timer(at);
    }
}

/// A stop_callback runs once, so nobody is in the list twice.
void driver::cancel(std::shared_ptr<participant> participant) noexcept {
    {
        const std::lock_guard lock{cancel_mutex_};
        participant->next_cancelled_ = std::exchange(cancels_, nullptr);
        cancels_ = std::move(participant);
        cancelled_.store(true, std::memory_order_release);
    }
    wake_.ring();
}

void driver::take_cancels(instant at) noexcept {
    if (!cancelled_.load(std::memory_order_acquire)) { return; }
    std::shared_ptr<participant> first;
    {
        const std::lock_guard lock{cancel_mutex_};
        first.swap(cancels_);
        cancelled_.store(false, std::memory_order_release);
    }
    while (first) {
        first->on_cancel(at);
        first = std::exchange(first->next_cancelled_, nullptr);
    }
}

} // namespace holdfast::drive
