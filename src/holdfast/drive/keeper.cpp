#include "holdfast/drive/keeper.hpp"

#include "holdfast/base/process.hpp"

namespace holdfast::drive {

keeper::keeper(turn_mutex& mutex, turn_clock& clock, dispatcher& dispatcher, event_loop& loop,
               lead_machine& lead) noexcept
    : mutex_{mutex}, clock_{clock}, dispatcher_{dispatcher}, loop_{loop}, lead_{lead} {}

void keeper::start() {
    if (thread_.joinable()) { return; }
    thread_ = base::library_thread("holdfast-keeper", [this] { run(); });
    lead_.set_keeper_running();
}

void keeper::join() {
    loop_.wake();
    wake();
    if (thread_.joinable()) { thread_.join(); }
}

void keeper::await_shutdown() {
    // A caller that still leads, in an unlock() that is about to return, wakes nobody: look again.
    constexpr base::milliseconds recheck{20};
    while (lead_.state() != lead_state::shutdown) {
        mutex_.wait_for(woken_, recheck);
        lead_.shut_down(clock_.now());
        if (lead_.state() == lead_state::closing) { loop_.wake(); } // the keeper may be in poll()
    }
}

void keeper::run() {
    turn_lock lock{mutex_};
    while (lead_.state() != lead_state::ended) {
        clock_.refresh();
        if (lead_.state() == lead_state::keeper || lead_.state() == lead_state::closing) {
            lead_crowd(lock);
        } else if (keeper_schedule::may_rest(current_conditions())) {
            rest();
        } else {
            loop_.watch(lock, lead_);
        }
    }
}

void keeper::lead_crowd(turn_lock& lock) {
    constexpr unsigned max_idle_rounds = 32; // rounds with less than two followers
    const sleeper nobody;                    // the keeper waits for no answer of its own
    for (unsigned idle_rounds = 0;
         idle_rounds < max_idle_rounds && lead_.state() == lead_state::keeper;) {
        const bool few = lead_.followers().size() < 2;
        loop_.run_once(lock, nobody, lead_);
        idle_rounds = few ? idle_rounds + 1 : 0;
    }
    if (lead_.leave(clock_.now()) == lead_state::shutdown) { wake(); }
}

void keeper::rest() {
    const auto until = schedule_.rest(current_conditions());
    mutex_.wait_for(woken_, until - clock_.now());
    schedule_.wake();
}

} // namespace holdfast::drive
