// The part of the driver that waits: leaders, followers and the keeper.

#include "holdfast/base/process.hpp"
#include "holdfast/drive/driver.hpp"

#include <algorithm>
#include <span>

namespace holdfast::drive {

using base::milliseconds;

namespace {

/// For so long after a caller has led the keeper does not poll, so that callers that come one after
/// the other do not wake it each time. Well below what P2 allows a loss notice to be late.
constexpr milliseconds quiet{5};

} // namespace

void driver::wait(std::unique_lock<std::mutex>& lock, sleeper& me) {
    settle();
    while (!me.ready) {
        if (!leading_) {
            leading_ = true;
            lead_began_ = now();
            while (!me.ready) { poll_once(lock, &me); }
            leading_ = false;
        } else {
            followers_.push_back(&me);
            me.woken.wait(lock, [&me] { return me.ready || me.chosen; });
            std::erase(followers_, &me);
            me.chosen = false;
        }
    }
    if (!leading_) { leave_lead(); }
}

void driver::leave_lead() {
    if (!followers_.empty()) {
        followers_.front()->chosen = true;
        followers_.front()->woken.notify_one();
        return;
    }
    last_led_ = now();
    if (keeper_parked_) { keeper_woken_.notify_one(); }
}

void driver::poll_once(std::unique_lock<std::mutex>& lock, const sleeper* leader) {
    const bool as_keeper = leader == nullptr;
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
        if (leading_ || now() < last_led_ + quiet) {
            keeper_rests(lock);
        } else {
            poll_once(lock, nullptr);
        }
    }
}

void driver::keeper_rests(std::unique_lock<std::mutex>& lock) {
    const auto at = now();
    if (leading_ && at >= lead_began_ + quiet) {
        keeper_parked_ = true;
        keeper_woken_.wait(lock);
        keeper_parked_ = false;
        return;
    }
    keeper_woken_.wait_for(lock, quiet);
}

void driver::drain(base::duration most) {
    std::unique_lock lock{mutex_};
    const auto until = now() + most;
    wake_.arm(until);
    leading_ = true;
    lead_began_ = now();
    const sleeper nobody;
    while ((!flights_.empty() || !beat_flights_.empty()) && now() < until) {
        wake_.arm(until);
        poll_once(lock, &nobody);
    }
    leading_ = false;
    leave_lead();
}

} // namespace holdfast::drive
