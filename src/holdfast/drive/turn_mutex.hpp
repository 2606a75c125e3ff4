#pragma once
// The driver's lock.

#include "holdfast/base/clock.hpp"
#include "holdfast/drive/futex_pool.hpp"

#include <condition_variable>
#include <mutex>

namespace holdfast::drive {

/// A mutex that wakes the called sleepers of its pool right after it is unlocked. Woken earlier,
/// they would block on it.
class turn_mutex {
public:
    void lock() { mutex_.lock(); }
    void unlock() noexcept {
        if (!pool_.called()) {
            mutex_.unlock();
            return;
        }
        const auto calls = pool_.take_calls();
        mutex_.unlock();
        pool_.wake(calls);
    }
    /// Unlocks while it waits. REQUIRES: locked by this thread.
    void wait_for(std::condition_variable& condition, base::duration timeout) {
        if (pool_.called()) { pool_.wake(pool_.take_calls()); }
        std::unique_lock lock{mutex_, std::adopt_lock};
        condition.wait_for(lock, timeout);
        lock.release(); // it stays locked
    }
    [[nodiscard]] futex_pool& pool() noexcept { return pool_; }

private:
    std::mutex mutex_;
    futex_pool pool_;
};

} // namespace holdfast::drive
