// The part of the driver that waits: leaders, followers and the keeper.

#include "holdfast/base/process.hpp"
#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
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

/// A leader that reads answers directly looks at all descriptors at least this often.
constexpr milliseconds poll_at_least{5};

} // namespace

void driver::end_turn(std::unique_lock<std::mutex>& lock) {
    settle();
    call_keeper_in_time();
    std::array<const sleeper*, 64> some{};
    const auto count = std::min(some.size(), to_wake_.size());
    std::copy_n(to_wake_.begin(), count, some.begin());
    to_wake_.erase(to_wake_.begin(), to_wake_.begin() + static_cast<std::ptrdiff_t>(count));
    wake_the_ready();
    // Without the lock, or whoever wants a turn next would run into it.
    lock.unlock();
    std::for_each_n(some.begin(), count, sleeper::wake);
}

void driver::wake_the_ready() {
    for (const auto* const who : to_wake_) { sleeper::wake(who); }
    to_wake_.clear();
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
    while (!me.ready()) { poll_once(lock, &me); }
    leading_ = false;
}

/// True: it is ready, and the lock is not held.
bool driver::follow(std::unique_lock<std::mutex>& lock, sleeper& me) {
    me.set(sleeper::state::waiting);
    me.place_ = followers_.insert(followers_.end(), &me);
    me.follows_ = true;
    end_turn(lock);
    me.sleep();
    if (me.ready()) { return true; }
    lock.lock(); // chosen; by now it may be ready as well
    if (chosen_ == &me) { chosen_ = nullptr; }
    look_at_clock();
    return false;
}

void driver::unfollow(sleeper& who) {
    followers_.erase(who.place_);
    who.follows_ = false;
}

void driver::leave_lead() {
    if (!choose_leader()) { last_led_ = now(); }
}

/// One that becomes ready before it comes to lead will not come: then another is chosen.
bool driver::choose_leader() {
    if (followers_.empty()) { return false; }
    chosen_ = followers_.front();
    unfollow(*chosen_);
    chosen_->set(sleeper::state::chosen);
    to_wake_.push_back(chosen_);
    return true;
}

/// What comes soon the leader reads itself. It looks at the other descriptors now and then, and
/// where a timer is due meanwhile; a cancellation waits for that.
bool driver::read_directly(std::unique_lock<std::mutex>& lock) {
    if (now() >= last_polled_ + poll_at_least || next_due() < now() + poll_at_least) {
        return false;
    }
    const auto from = engine_->expect();
    if (from.descriptor < 0) { return false; }
    const bool spin = from.spin > base::duration::zero() && followers_.empty() &&
                      engine_->expected() > 0 && spin_.worth_it();
    wake_the_ready();
    lock.unlock();
    ssize_t count = -1;
    if (spin) {
        const auto until = time_.now() + from.spin;
        do {
            count = ::recv(from.descriptor, from.into.data(), from.into.size(), MSG_DONTWAIT);
        } while (count < 0 && errno == EAGAIN && time_.now() < until);
    }
    const bool found = count >= 0;
    if (!found) { count = ::recv(from.descriptor, from.into.data(), from.into.size(), 0); }
    const int error = count < 0 ? errno : 0;
    lock.lock();
    look_at_clock();
    if (spin && found) { spin_.found(); }
    if (spin && !found) { spin_.in_vain(); }
    const auto at = now();
    engine_due_ = engine_->received(count, error, at);
    take_cancels(at);
    settle();
    run_due(now());
    settle();
    return true;
}

void driver::poll_once(std::unique_lock<std::mutex>& lock, const sleeper* leader) {
    const bool as_keeper = leader == nullptr;
    if (!as_keeper && read_directly(lock)) { return; }
    last_polled_ = now();
    wake_the_ready();
    std::vector<pollfd> watched;
    watched.reserve(wake_up::count + 4);
    wake_.pollables(watched);
    engine_->pollables(watched);
    if (as_keeper) {
        keeper_watches_.assign(watched.begin() + wake_up::count, watched.end());
        keeper_polls_ = true;
    } else {
        leader_polls_for_ = leader;
    }
    lock.unlock();
    const auto found = ::poll(watched.data(), watched.size(), -1);
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
    engine_due_ = engine_->drive(std::span{watched}.subspan(wake_up::count), at);
    take_cancels(at);
    settle();
    run_due(now());
    settle();
}

/// An operation of a caller's may have opened or closed a descriptor while the keeper waits for the
/// ones that there were before.
void driver::tell_keeper_of_new_descriptors() {
    scratch_.clear();
    engine_->pollables(scratch_);
    const bool same = std::equal(
        scratch_.begin(), scratch_.end(), keeper_watches_.begin(), keeper_watches_.end(),
        [](const pollfd& a, const pollfd& b) { return a.fd == b.fd && a.events == b.events; });
    if (!same) { wake_.ring(); }
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
        if (leading_ || (now() < last_led_ + quiet && now() < next_due())) {
            keeper_rests(lock);
        } else {
            poll_once(lock, nullptr);
        }
    }
}

void driver::keeper_rests(std::unique_lock<std::mutex>& lock) {
    keeper_rests_until_ = now() + quiet;
    if (!leading_) { keeper_rests_until_ = std::min(keeper_rests_until_, next_due()); }
    keeper_woken_.wait_for(lock, keeper_rests_until_ - now());
    keeper_rests_until_ = instant::min();
}

/// Whoever leaves without a successor leaves the timers to the keeper.
void driver::call_keeper_in_time() {
    if (!leading_ && next_due() < keeper_rests_until_) { keeper_woken_.notify_one(); }
}

void driver::drain(base::duration most) {
    std::unique_lock lock{mutex_};
    look_at_clock();
    const auto until = now() + most;
    wake_.arm(until);
    leading_ = true;
    const sleeper nobody;
    while ((!flights_.empty() || !beat_flights_.empty()) && now() < until) {
        wake_.arm(until);
        poll_once(lock, &nobody);
    }
    leading_ = false;
    leave_lead();
    end_turn(lock);
}

} // namespace holdfast::drive
