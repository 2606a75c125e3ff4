#pragma once
// The holds that belong to threads, as lock() makes them: who has one, and what locking again does.

#include "holdfast/api/lock_object.hpp"
#include "holdfast/core/threads.hpp"

#include <memory>
#include <system_error>

namespace holdfast::api {

/// Thread safety: all members from any thread; each thread sees and changes only its own holds.
class thread_holds {
public:
    /// What lock() does with a thread that holds the lock already.
    enum class relocking {
        not_held, ///< the thread holds nothing: ask the engine
        done,     ///< the thread holds it, with nothing asked
        refused,  ///< `failure` is set
    };
    struct removed {
        bool was_held = false;
        std::shared_ptr<core::hold> hold; ///< to be released now; null: an inner unlock
    };

    thread_holds() = default;
    thread_holds(const thread_holds&) = delete;
    thread_holds& operator=(const thread_holds&) = delete;
    virtual ~thread_holds() = default;

    [[nodiscard]] virtual relocking lock_again(const core::request& request,
                                               std::error_code* failure) = 0;
    virtual void add(const std::shared_ptr<core::hold>& hold) = 0;
    [[nodiscard]] virtual removed remove(mode mode) = 0;
    /// The calling thread's; null if it has none. Also one that was lost and not unlocked yet.
    [[nodiscard]] virtual std::shared_ptr<core::hold> find() const = 0;
    [[nodiscard]] virtual unsigned count() const = 0;
};

/// The calling thread holds it from now on, and `keep` remembers it. If there is no memory for that
/// the hold is released.
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
