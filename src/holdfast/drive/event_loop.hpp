#pragma once
// Waits for the engine's descriptors, timers and cancellations, and handles what has happened.

#include "holdfast/drive/cancel_queue.hpp"
#include "holdfast/drive/direct_reader.hpp"
#include "holdfast/drive/dispatcher.hpp"
#include "holdfast/drive/lead_machine.hpp"
#include "holdfast/drive/poll_set.hpp"
#include "holdfast/drive/turn_mutex.hpp"
#include "holdfast/drive/wake_up.hpp"

#include <memory>
#include <mutex>

namespace holdfast::drive {

using turn_lock = std::unique_lock<turn_mutex>;

/// The leader runs it, round after round; while nobody leads, the keeper does. A round unlocks the
/// driver's lock while it waits.
///
/// Thread safety: `cancel` and `wake()` from any thread, the rest under the driver's lock.
class event_loop {
public:
    event_loop(guarded_engine& engine, turn_clock& clock, dispatcher& dispatcher);

    /// One round of the leader, whose sleeper is `leader`. Reads replies directly from the socket
    /// if the engine allows it, and polls otherwise.
    void run_once(turn_lock& lock, const sleeper& leader, const lead_machine& lead);
    /// One round of the keeper while it does not lead. If a caller leads when poll() returns, that
    /// caller handles the events.
    void watch(turn_lock& lock, const lead_machine& lead);

    /// Settles the dispatcher, and wakes the polling thread if its descriptors or timer changed.
    void settle() noexcept;
    /// Ends the poll() of this leader, if it is in one.
    void wake(const sleeper& leader) const noexcept {
        if (polling_leader_ == &leader) { wake_.signal(); }
    }
    void wake() const noexcept { wake_.signal(); }
    void wake_at(base::instant when) { wake_.arm(when); }
    void cancel(std::shared_ptr<participant> participant) noexcept;

private:
    [[nodiscard]] bool read_directly(turn_lock& lock, bool alone);
    void poll(turn_lock& lock, poll_set& polled);
    void handle(const poll_set& polled) noexcept;

    guarded_engine& engine_;
    turn_clock& clock_;
    dispatcher& dispatcher_;
    wake_up wake_;
    cancel_queue cancels_;
    direct_reader reader_;
    poll_set leader_poll_set_;
    poll_set keeper_poll_set_;
    const sleeper* polling_leader_ = nullptr; ///< set while the leader is in poll()
    bool keeper_is_polling_ = false;
};

} // namespace holdfast::drive
