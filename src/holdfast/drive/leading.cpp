// The part of the driver that waits: leaders, followers and the keeper.

#include "holdfast/base/process.hpp"
#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <span>
#include <sys/socket.h>

namespace holdfast::drive {

using base::instant;
using base::milliseconds;

namespace {

/// For so long after a caller has led the keeper does not poll: callers that come one after the
/// other see to the descriptors themselves, and waking the keeper between them would cost as much
/// as what they do. Timers are not put off by it.
constexpr milliseconds quiet{100};
constexpr milliseconds long_quiet{1000};

/// What is due so soon comes again and again: then the keeper looks so often, instead of being
/// called each time.
constexpr milliseconds soon{1};

/// So many callers who wait at once make a crowd.
constexpr std::size_t crowd = 4;

/// One look at a socket takes much less than this.
constexpr std::chrono::microseconds elsewhere{5};

/// A leader that reads answers directly looks at all descriptors at least this often.
constexpr milliseconds poll_at_least{5};

} // namespace

void driver::end_turn(std::unique_lock<std::mutex>& lock) {
    settle();
    call_keeper_in_time();
    give_up_lock(lock);
}

void driver::give_up_lock(std::unique_lock<std::mutex>& lock) {
    if (!sleepers_.called()) {
        lock.unlock();
        return;
    }
    const auto calls = sleepers_.take_calls();
    lock.unlock();
    sleepers_.wake(calls);
}

void driver::wake_the_ready() {
    if (sleepers_.called()) { sleepers_.wake(sleepers_.take_calls()); }
}

void driver::wait(std::unique_lock<std::mutex>& lock, sleeper& me) {
    settle();
    while (!me.ready()) {
        if (!leading_) {
            lead(lock, me);
        } else if (follow(lock, me)) {
            return;
        }
    }
    if (!leading_) { leave_lead(); }
}

void driver::lead(std::unique_lock<std::mutex>& lock, sleeper& me) {
    leading_ = true;
    leading_since_ = now();
    while (!me.ready()) { poll_once(lock, &me); }
    leading_ = false;
}

/// True: it is ready, and the lock is not held.
bool driver::follow(std::unique_lock<std::mutex>& lock, sleeper& me) {
    me.set(sleeper::state::waiting);
    followers_.add(me);
    sleepers_.assign_slot(me);
    end_turn(lock);
    sleepers_.sleep(me);
    if (me.ready()) { return true; }
    lock.lock(); // chosen; by now it may be ready as well
    if (chosen_ == &me) { chosen_ = nullptr; }
    look_at_clock();
    return false;
}

void driver::leave_lead() {
    if (followers_.size() >= crowd && keeper_.joinable()) {
        leading_ = keeper_leads_ = true;
        keeper_woken_.notify_one();
    } else if (!choose_leader()) {
        last_led_ = now();
    }
}

/// A caller leaves as soon as it has its answer, and a follower has to wake up before the next is
/// read. In a crowd that is what all wait for; so there the keeper leads, until it is a crowd no
/// more.
void driver::keeper_leads(std::unique_lock<std::mutex>& lock) {
    constexpr unsigned patience = 32;
    leading_since_ = now();
    for (unsigned alone = 0; alone < patience && !stopping_ && !draining_;) {
        const bool few = followers_.size() < 2;
        poll_once(lock, &nobody_);
        alone = few ? alone + 1 : 0;
    }
    leading_ = keeper_leads_ = false;
    leave_lead();
    if (draining_) { lead_is_free_.notify_one(); }
}

/// One that becomes ready before it comes to lead will not come: then another is chosen.
bool driver::choose_leader() {
    if (followers_.empty()) { return false; }
    chosen_ = &followers_.first();
    followers_.remove(*chosen_);
    sleepers_.call(*chosen_);
    chosen_->set(sleeper::state::chosen);
    return true;
}

/// What comes soon the leader reads itself. It looks at the other descriptors now and then, and
/// where a timer is due meanwhile; a cancellation waits for that.
bool driver::read_directly(std::unique_lock<std::mutex>& lock) {
    if (now() >= last_polled_ + poll_at_least || next_due() < now() + poll_at_least) {
        return false;
    }
    engine::direct from;
    try {
        from = engine_->expect();
    } catch (const std::bad_alloc&) { return false; }
    if (from.descriptor < 0) { return false; }
    const bool spin = from.spin > base::duration::zero() && followers_.empty() &&
                      engine_->expected() > 0 && spin_.worth_it();
    give_up_lock(lock);
    ssize_t count = -1;
    bool alone = true; // nobody else ran on this cpu meanwhile
    if (spin) {
        auto before = time_.now();
        const auto until = before + from.spin;
        do {
            count = ::recv(from.descriptor, from.into.data(), from.into.size(), MSG_DONTWAIT);
            const auto after = time_.now();
            alone = alone && after - before < elsewhere;
            before = after;
        } while (count < 0 && errno == EAGAIN && before < until);
    }
    const bool found = count >= 0;
    if (!found) { count = ::recv(from.descriptor, from.into.data(), from.into.size(), 0); }
    const int error = count < 0 ? errno : 0;
    lock.lock();
    look_at_clock();
    // If the server needed this very cpu for its answer, looking only kept it from it.
    if (spin && found && alone) { spin_.found(); }
    if (spin && !(found && alone)) { spin_.in_vain(); }
    const auto at = now();
    guarded([&] { engine_due_ = engine_->received(from.source, count, error, at); });
    just_looked_ = true;
    take_cancels(at);
    settle();
    just_looked_ = false;
    if (timers_.next() <= now()) {
        run_due(now());
        settle();
    }
    return true;
}

void driver::poll_once(std::unique_lock<std::mutex>& lock, const sleeper* leader) {
    const bool as_keeper = leader == nullptr;
    if (!as_keeper && read_directly(lock)) { return; }
    last_polled_ = now();
    auto& watched = as_keeper ? keeper_polled_ : leader_polled_;
    const int longest = collect_pollables(watched);
    if (as_keeper) {
        keeper_polls_ = true;
    } else {
        leader_polls_for_ = leader;
    }
    give_up_lock(lock);
    const auto found = ::poll(watched.data(), watched.size(), longest);
    lock.lock();
    look_at_clock();
    if (as_keeper) {
        keeper_polls_ = false;
    } else {
        leader_polls_for_ = nullptr;
    }
    if (as_keeper && leading_) { return; } // a caller came meanwhile: the rest is its business
    if (found < 0) {
        for (auto& one : watched) { one.revents = 0; } // interrupted by a signal
    }
    wake_.heard(watched.data());
    const auto at = now();
    guarded([&] { engine_due_ = engine_->drive(std::span{watched}.subspan(wake_up::count), at); });
    take_cancels(at);
    settle();
    run_due(now());
    settle();
}

void driver::need_keeper() {
    if (keeper_.joinable()) { return; }
    keeper_ = base::library_thread("holdfast-keeper", [this] { keep(); });
}

void driver::keep() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        look_at_clock();
        wake_the_ready();
        if (keeper_leads_) {
            keeper_leads(lock);
        } else if (leading_ || keeper_may_rest()) {
            keeper_rests(lock);
        } else {
            poll_once(lock, nullptr);
        }
    }
}

/// Not with a renewal on its way: its answer would lie unread while the lease runs out.
bool driver::keeper_may_rest() const {
    return beat_flights_.empty() && now() < last_led_ + quiet && now() < next_due();
}

void driver::keeper_rests(std::unique_lock<std::mutex>& lock) {
    // Who has led for a while will probably go on: a thousand clients that wait should not keep a
    // thousand keepers busy.
    const bool long_led = leading_ && now() - leading_since_ >= quiet;
    keeper_rests_until_ = now() + (long_led ? long_quiet : quiet);
    if (!leading_) { keeper_rests_until_ = std::min(keeper_rests_until_, next_due()); }
    if (std::exchange(soon_, false)) {
        keeper_rests_until_ = std::min(keeper_rests_until_, now() + soon);
    }
    keeper_woken_.wait_for(lock, keeper_rests_until_ - now());
    keeper_rests_until_ = instant::min();
}

/// Whoever leaves without a successor leaves the timers to the keeper, and answers to renewals.
void driver::call_keeper_in_time() {
    if (leading_) { return; }
    soon_ = soon_ || next_due() <= now() + soon;
    const bool rests = keeper_rests_until_ != instant::min();
    if (rests && (next_due() < keeper_rests_until_ || !beat_flights_.empty())) {
        keeper_woken_.notify_one();
    }
}

/// Whether something is on its way, or is to be sent again.
bool driver::unfinished() {
    bool found = !flights_.empty() || !beat_flights_.empty();
    if (!found) {
        listeners_.tell_all(
            [&](const participant& listener) { found = found || listener.is_unfinished(); });
    }
    return found;
}

void driver::drain(base::duration most) {
    std::unique_lock lock{mutex_};
    // Nobody else is left but the keeper. If it leads it may be reading at this moment.
    draining_ = true;
    if (leading_) { wake_.ring(); }
    lead_is_free_.wait(lock, [this] { return !leading_; });
    look_at_clock();
    const auto until = now() + most;
    wake_.arm(until);
    leading_ = true;
    // There is no time for pauses between tries any more.
    listeners_.tell_all([this](participant& listener) {
        if (listener.is_unfinished()) { listener.on_hurry(now()); }
    });
    settle();
    const sleeper nobody;
    while (unfinished() && now() < until) {
        wake_.arm(until);
        poll_once(lock, &nobody);
    }
    listeners_.tell_all([](participant& participant) { participant.on_shutdown(); });
    leading_ = false;
    leave_lead();
    end_turn(lock);
}

} // namespace holdfast::drive
