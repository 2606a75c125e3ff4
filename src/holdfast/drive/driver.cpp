#include "holdfast/drive/driver.hpp"

#include <mutex>
#include <utility>

namespace holdfast::drive {

driver::driver(std::unique_ptr<engine::engine> engine, const base::time_source& time,
               std::shared_ptr<client_metrics> metrics)
    : clock_{time},
      metrics_{std::move(metrics)},
      engine_{std::move(engine)},
      dispatcher_{engine_, clock_, *metrics_},
      loop_{engine_, clock_, dispatcher_},
      lead_{mutex_.pool()},
      keeper_{mutex_, clock_, dispatcher_, loop_, lead_} {}

driver::~driver() {
    {
        const std::lock_guard lock{mutex_};
        lead_.end();
    }
    keeper_.join();
}

void driver::end_turn(turn_lock& lock) {
    loop_.settle();
    end_settled_turn(lock);
}

void driver::end_settled_turn(turn_lock& lock) {
    keeper_.wake_if_needed();
    lock.unlock();
}

void driver::wait(turn_lock& lock, sleeper& sleeper) {
    loop_.settle();
    while (!sleeper.ready()) {
        if (lead_.take(clock_.now())) {
            lead(lock, sleeper);
        } else if (follow(lock, sleeper)) {
            return;
        }
    }
    end_settled_turn(lock); // a leader settles after each round
}

void driver::lead(turn_lock& lock, const sleeper& sleeper) {
    while (!sleeper.ready()) { loop_.run_once(lock, sleeper, lead_); }
    leave();
}

void driver::leave() {
    if (lead_.leave(clock_.now()) == lead_state::keeper) { keeper_.wake(); }
}

/// Returns true if the sleeper is ready; the lock is not held then.
bool driver::follow(turn_lock& lock, sleeper& sleeper) {
    lead_.follow(sleeper);
    end_turn(lock);
    mutex_.pool().sleep(sleeper);
    if (sleeper.ready()) { return true; }
    lock.lock(); // the sleeper was chosen to lead; it may be ready as well by now
    clock_.refresh();
    return false;
}

/// Whether something is in flight, or is to be sent again.
bool driver::unfinished() {
    bool found = !dispatcher_.idle();
    if (!found) {
        dispatcher_.notices().visit_listeners(
            [&](const participant& listener) { found = found || listener.is_unfinished(); });
    }
    return found;
}

void driver::drain(base::duration max_wait) {
    turn_lock lock{mutex_};
    clock_.refresh();
    lead_.shut_down(clock_.now());
    if (lead_.state() == lead_state::closing) { loop_.wake(); } // the keeper may be in poll()
    keeper_.await_shutdown();
    clock_.refresh();
    const auto until = clock_.now() + max_wait;
    // No time is left for pauses between tries.
    dispatcher_.notices().visit_listeners([this](participant& listener) {
        if (listener.is_unfinished()) { listener.on_hurry(clock_.now()); }
    });
    loop_.settle();
    const sleeper nobody;
    while (unfinished() && clock_.now() < until) {
        loop_.wake_at(until);
        loop_.run_once(lock, nobody, lead_);
    }
    dispatcher_.notices().visit_listeners([](participant& listener) { listener.on_shutdown(); });
    leave();
    end_turn(lock);
}

} // namespace holdfast::drive
