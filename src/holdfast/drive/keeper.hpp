#pragma once
// The library's thread that drives the engine when no caller does.

#include "holdfast/drive/event_loop.hpp"
#include "holdfast/drive/keeper_schedule.hpp"
#include "holdfast/drive/lead_machine.hpp"

#include <condition_variable>
#include <thread>

namespace holdfast::drive {

/// While no caller is blocked in the driver, it renews leases, delivers notices and finishes
/// releases. It also leads when there are many callers.
///
/// Thread safety: under the driver's lock, except `join`.
class keeper {
public:
    keeper(turn_mutex& mutex, turn_clock& clock, dispatcher& dispatcher, event_loop& loop,
           lead_machine& lead) noexcept;
    keeper(const keeper&) = delete;
    keeper& operator=(const keeper&) = delete;
    ~keeper() = default; ///< REQUIRES: joined

    /// Throws std::system_error if the system refuses a thread.
    void start();
    void wake() noexcept { woken_.notify_all(); } // it, or the thread in await_shutdown
    /// At the end of a turn: while nobody leads, the keeper runs the timers and reads the answers
    /// to heartbeats.
    void wake_if_needed() noexcept {
        if (!lead_.led() && schedule_.must_wake(current_conditions())) { wake(); }
    }
    /// Blocks until the thread that shuts the client down leads.
    void await_shutdown();
    /// After the lead has ended.
    void join();

private:
    void run();
    void lead_crowd(turn_lock& lock);
    void rest();
    [[nodiscard]] keeper_schedule::conditions current_conditions() const noexcept {
        return {.now = clock_.now(),
                .led = lead_.led(),
                .led_since = lead_.led_since(),
                .last_led = lead_.last_led(),
                .next_due = dispatcher_.next_due(),
                .awaits_heartbeat = dispatcher_.awaits_heartbeat()};
    }

    turn_mutex& mutex_;
    turn_clock& clock_;
    dispatcher& dispatcher_;
    event_loop& loop_;
    lead_machine& lead_;
    keeper_schedule schedule_;
    std::condition_variable woken_;
    std::thread thread_;
};

} // namespace holdfast::drive
