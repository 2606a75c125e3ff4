#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;
using base::never;

driver::driver(std::unique_ptr<engine::engine> what, const base::time_source& time)
    : time_{time}, engine_{std::move(what)} {
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
void driver::submit(participant& who, purpose why, const engine::op& what, instant give_up) {
    make_room_for_an_answer();
    const auto id = ++last_op_;
    flights_.add(id, {who.shared_from_this(), why, now()});
    start(id, what, give_up);
}

void driver::start(engine::op_id id, const engine::op& what, instant give_up) noexcept {
    submitted_ = true;
    guarded([&] { engine_->submit(id, what, give_up); });
}

/// The engine must never be unable to give its answer.
void driver::make_more_room_for_answers() {
    constexpr std::size_t least = 8;
    const auto more = std::max(least, 2 * room_for_answers_);
    answers_.reserve(more);
    handing_out_.reserve(more);
    room_for_answers_ = more;
}

void driver::noticed(const engine::notice& what) {
    try {
        notices_.push_back(what);
    } catch (const std::bad_alloc&) { miss_notices(); }
}

void driver::ready(sleeper& who) {
    if (leader_polls_for_ == &who) { wake_.ring(); } // it sleeps in poll()
    if (followers::has(who)) {
        followers_.remove(who);
        sleepers_.call(who);
    }
    const bool was_to_lead = chosen_ == &who;
    who.set(sleeper::state::ready); // from here on it may be gone
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
    for (const auto& what : handing_out_) {
        if (const auto to = flights_.take(what.id)) {
            tell_answer(*to->who, to->why, what, to->sent, at);
        } else if (const auto beaten = beat_flights_.find(what.id); beaten != beat_flights_.end()) {
            const auto batch = std::move(beaten->second);
            beat_flights_.erase(beaten);
            answer_beats(batch, what, at);
        }
    }
    handing_out_.clear();
}

void driver::answer_beats(const beat_flight& batch, const engine::answer& what,
                          instant at) noexcept {
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (i < what.beats.size()) {
            tell_beat(*item.who, what.beats[i], batch.sent, item.what.lease, at);
        } else { // the batch as a whole failed, or its answer was lost
            engine::beat_answer none;
            none.what = engine::fate::unknown;
            none.error = what.error;
            try {
                none.detail = what.detail;
            } catch (const std::bad_alloc&) { none.detail.clear(); }
            tell_beat(*item.who, none, batch.sent, item.what.lease, at);
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
    for (const auto& what : handing_out_notices_) {
        if (what.what == engine::notice::kind::inbox_reset) {
            tell_all_of_reset(at);
        } else if (const auto found = listeners_.find(what.number)) {
            tell_notice(*found, what, at);
        }
    }
    handing_out_notices_.clear();
}

/// Moves the next batch to the front; how many it has. They are written in the same way, and none
/// is given up in less than half of its own time because another is more urgent.
std::size_t driver::gather_batch(std::span<beat_request> rest) const {
    const auto format = rest.front().what.who.how;
    auto soonest = never;
    for (const auto& request : rest) {
        if (request.what.who.how == format) { soonest = std::min(soonest, request.useful_until); }
    }
    const auto latest = std::max(soonest, base::later(soonest, soonest - now()));
    const auto others =
        std::stable_partition(rest.begin(), rest.end(), [&](const beat_request& request) {
            return request.what.who.how == format && request.useful_until <= latest;
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
            beat_not_sent(*all[first].who, all[first].what.lease);
        }
    }
}

/// Those from `first` on that are written in the same way as it is, as many as fit into a batch:
/// they are moved to the front, and it says how many they are. Throws only if nothing was
/// submitted.
std::size_t driver::send_batch(std::vector<beat_request>& all, std::size_t first) {
    const auto count = gather_batch(std::span{all}.subspan(first));
    engine::op what{std::in_place_type<engine::beat_op>};
    auto& items = std::get<engine::beat_op>(what).items;
    items.reserve(count);
    instant give_up = never;
    for (std::size_t i = first; i < first + count; ++i) {
        give_up = std::min(give_up, all[i].useful_until);
        items.push_back(all[i].what);
    }
    beat_flight batch{{}, now()};
    batch.items.reserve(count);
    make_room_for_an_answer();
    const auto id = ++last_op_;
    auto& kept = beat_flights_.emplace(id, std::move(batch)).first->second;
    // From here on nothing throws.
    for (std::size_t i = first; i < first + count; ++i) { kept.items.push_back(std::move(all[i])); }
    start(id, what, give_up);
    return count;
}

void driver::run_due(instant at) noexcept {
    while (auto* const first = timers_.first()) {
        if (first->due() > at) { break; }
        timers_.drop(*first);
        // Only participants are ever put into the heap.
        const auto who = static_cast<participant*>(first)->shared_from_this();
        who->on_timer(at);
    }
}

/// A stop_callback runs once, so nobody is in the list twice.
void driver::cancel(std::shared_ptr<participant> who) noexcept {
    {
        const std::lock_guard lock{cancel_mutex_};
        who->next_cancelled_ = std::exchange(cancels_, nullptr);
        cancels_ = std::move(who);
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
