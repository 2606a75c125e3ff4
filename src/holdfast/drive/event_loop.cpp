#include "holdfast/drive/event_loop.hpp"

#include <new>
#include <utility>

namespace holdfast::drive {

event_loop::event_loop(guarded_engine& engine, turn_clock& clock, dispatcher& dispatcher)
    : engine_{engine}, clock_{clock}, dispatcher_{dispatcher}, reader_{clock.source()} {}

void event_loop::run_once(turn_lock& lock, const sleeper& leader, const lead_machine& lead) {
    if (read_directly(lock, lead.followers().empty())) { return; }
    polling_leader_ = &leader;
    poll(lock, leader_poll_set_);
    polling_leader_ = nullptr;
    handle(leader_poll_set_);
}

void event_loop::watch(turn_lock& lock, const lead_machine& lead) {
    keeper_is_polling_ = true;
    poll(lock, keeper_poll_set_);
    keeper_is_polling_ = false;
    if (!lead.led()) { handle(keeper_poll_set_); } // otherwise the leader handles them
}

void event_loop::poll(turn_lock& lock, poll_set& polled) {
    reader_.on_poll(clock_.now());
    polled.collect(wake_, *engine_);
    lock.unlock();
    polled.wait();
    lock.lock();
    clock_.refresh();
}

void event_loop::handle(const poll_set& polled) noexcept {
    wake_.handle(polled.driver_descriptors());
    engine_.drive(polled.engine_descriptors(), clock_.now());
    cancels_.deliver(clock_.now());
    settle();
    dispatcher_.run_timers();
    settle();
}

bool event_loop::read_directly(turn_lock& lock, bool alone) {
    if (!reader_.allowed(clock_.now(), dispatcher_.next_due())) { return false; }
    engine::direct_read source;
    try {
        source = engine_->start_direct_read();
    } catch (const std::bad_alloc&) { return false; }
    if (source.descriptor < 0) { return false; }
    const bool may_spin = alone && engine_->replies_in_flight() > 0;
    lock.unlock();
    const auto result = reader_.read(source, may_spin);
    lock.lock();
    clock_.refresh();
    engine_.finish_direct_read(source.source, result.count, result.error, clock_.now());
    clock_.set_current(true);
    cancels_.deliver(clock_.now());
    settle();
    clock_.set_current(false);
    if (dispatcher_.timer_due()) {
        dispatcher_.run_timers();
        settle();
    }
    return true;
}

void event_loop::settle() noexcept {
    const bool submitted = dispatcher_.settle();
    // An operation may have opened or closed a descriptor while others poll the old set.
    if (submitted && ((keeper_is_polling_ && !keeper_poll_set_.is_current(*engine_)) ||
                      (polling_leader_ != nullptr && !leader_poll_set_.is_current(*engine_)))) {
        wake_.signal();
    }
    wake_.arm(dispatcher_.next_due());
}

void event_loop::cancel(std::shared_ptr<participant> participant) noexcept {
    cancels_.add(std::move(participant));
    wake_.signal();
}

} // namespace holdfast::drive
