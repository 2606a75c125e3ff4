#pragma once
// The holds of lock(), which belong to threads: the interface of single_holds and counted_holds.

#include "holdfast/api/acquire_call.hpp"
#include "holdfast/api/lock_object.hpp"
#include "holdfast/core/threads.hpp"

#include <memory>

namespace holdfast::api {

/// Thread safety: all members from any thread; each thread sees and changes only its own holds.
class thread_holds {
public:
    /// The result of lock() by a thread that may hold the lock already.
    enum class relock_result {
        not_held, ///< the thread does not hold it: acquire it
        done,     ///< the thread holds it; no acquire is needed
        refused,  ///< the call's failure is set
    };
    struct removed {
        bool was_held = false;
        std::shared_ptr<core::hold> hold; ///< the caller releases it; null: an inner unlock
    };

    thread_holds() = default;
    thread_holds(const thread_holds&) = delete;
    thread_holds& operator=(const thread_holds&) = delete;
    virtual ~thread_holds() = default;

    [[nodiscard]] virtual relock_result lock_again(const acquire_call& call) = 0;
    /// The same, but counts or refuses only: a renewal would have one unlock() for two locks.
    [[nodiscard]] virtual relock_result count_again(const acquire_call& call) {
        return lock_again(call);
    }
    virtual void add(const std::shared_ptr<core::hold>& hold) = 0;
    [[nodiscard]] virtual removed remove(mode mode) = 0;
    /// The calling thread's hold, even if it is lost; null if it has none.
    [[nodiscard]] virtual std::shared_ptr<core::hold> find() const = 0;
    [[nodiscard]] virtual unsigned count() const = 0;
};

/// Makes the calling thread the holder; `keep` stores the hold. If either throws, the hold is
/// released.
template <typename Keep>
void give_to_this_thread(const lock_object& lock, const std::shared_ptr<core::hold>& hold,
                         Keep keep) {
    try {
        core::watch_hold(lock.core, lock.id, hold);
        keep();
    } catch (...) {
        core::forget_hold(hold.get());
        lock.core->release_in_background(*hold, false);
        throw;
    }
}

} // namespace holdfast::api
