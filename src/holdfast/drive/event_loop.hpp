#pragma once
// Waits for the engine's descriptors, timers and cancellations, and handles what has happened.

#include "holdfast/drive/cancel_queue.hpp"
#include "holdfast/drive/direct_reader.hpp"
#include "holdfast/drive/dispatcher.hpp"
#include "holdfast/drive/leadership.hpp"
#include "holdfast/drive/poll_set.hpp"
#include "holdfast/drive/turn_mutex.hpp"
#include "holdfast/drive/wake_up.hpp"

#include <memory>
#include <mutex>

namespace holdfast::drive {

using turn_lock = std::unique_lock<turn_mutex>;

/// Run by the leader, round after round, and by the keeper while nobody leads. The lock is not held
/// while a round waits.
///
/// Thread safety: `cancel` and `wake` from any thread, the rest under the driver's lock.
class event_loop {
public:
    event_loop(guarded_engine& engine, turn_clock& clock, dispatcher& dispatcher);

    /// One round of the leader, which waits for `leader` to be ready. It reads the answer from the
    /// socket where the engine allows it, and otherwise polls.
    void run_once(turn_lock& lock, const sleeper& leader, const leadership& lead);
    /// One round of the keeper, without leading: ends early when a caller has come to lead.
    void watch(turn_lock& lock, const leadership& lead);

    /// Lets the dispatcher settle, and the thread that polls know what has changed by it.
    void settle() noexcept;
    /// If this leader is in poll(), ends that.
    void wake(const sleeper& leader) const noexcept {
        if (polls_for_ == &leader) { wake_.ring(); }
    }
    void wake() const noexcept { wake_.ring(); }
    void wake_by(base::instant when) { wake_.arm(when); }
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
    poll_set leaders_;
    poll_set keepers_;
    const sleeper* polls_for_ = nullptr; ///< set while the leader is in poll()
    bool keeper_polls_ = false;
};

} // namespace holdfast::drive
