#pragma once
// Passes cancellations from stop callbacks, on any thread, to the thread that drives the engine.

#include "holdfast/drive/participant.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace holdfast::drive {

/// An intrusive list of participants, so that adding one needs no memory.
///
/// Thread safety: `add` from any thread, also inside a stop_callback: the mutex is only held for
/// some instructions. `deliver` under the driver's lock.
class cancel_queue {
public:
    /// REQUIRES: a participant is added once at most. (A stop_callback runs once.)
    void add(std::shared_ptr<participant> participant) noexcept;
    /// Calls `on_cancel` of each that was added, the last one first.
    void deliver(base::instant now) noexcept {
        if (filled_.load(std::memory_order_acquire)) { deliver_all(now); }
    }

private:
    void deliver_all(base::instant now) noexcept;

    std::atomic<bool> filled_{false}; ///< `first_` is set
    std::mutex mutex_;
    std::shared_ptr<participant> first_;
};

} // namespace holdfast::drive
