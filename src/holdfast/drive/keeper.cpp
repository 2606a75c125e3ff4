#include "holdfast/drive/keeper.hpp"

#include "holdfast/base/process.hpp"

namespace holdfast::drive {

keeper::keeper(turn_mutex& mutex, turn_clock& clock, dispatcher& dispatcher, event_loop& loop,
               leadership& lead) noexcept
    : mutex_{mutex}, clock_{clock}, dispatcher_{dispatcher}, loop_{loop}, lead_{lead} {}

void keeper::start() {
    if (thread_.joinable()) { return; }
    thread_ = base::library_thread("holdfast-keeper", [this] { run(); });
    lead_.keeper_runs();
}

void keeper::join() {
    loop_.wake();
    wake();
    if (thread_.joinable()) { thread_.join(); }
}

keeper_schedule::situation keeper::situation() const noexcept {
    return {.now = clock_.now(),
            .led = lead_.led(),
            .led_since = lead_.led_since(),
            .last_led = lead_.last_led(),
            .next_due = dispatcher_.next_due(),
            .awaits_heartbeat = dispatcher_.awaits_heartbeat()};
}

void keeper::await_shutdown() {
    constexpr base::milliseconds at_most{1000}; // then it looks again
    while (lead_.state() != lead_state::shutdown) { mutex_.wait_for(woken_, at_most); }
}

void keeper::run() {
    turn_lock lock{mutex_};
    while (lead_.state() != lead_state::ended) {
        clock_.refresh();
        if (lead_.state() == lead_state::keeper || lead_.state() == lead_state::closing) {
            lead_crowd(lock);
        } else if (keeper_schedule::may_rest(situation())) {
            rest();
        } else {
            loop_.watch(lock, lead_);
        }
    }
}

void keeper::lead_crowd(turn_lock& lock) {
    constexpr unsigned patience = 32; // rounds with hardly a follower
    const sleeper nobody;             // the keeper leads for no answer of its own
    for (unsigned quiet = 0; quiet < patience && lead_.state() == lead_state::keeper;) {
        const bool few = lead_.followers().size() < 2;
        loop_.run_once(lock, nobody, lead_);
        quiet = few ? quiet + 1 : 0;
    }
    if (lead_.leave(clock_.now()) == lead_state::shutdown) { wake(); }
}

void keeper::rest() {
    const auto until = schedule_.rest(situation());
    mutex_.wait_for(woken_, until - clock_.now());
    schedule_.wake();
}

} // namespace holdfast::drive
