#include "holdfast/api/counted_holds.hpp"

#include "holdfast/api/failure.hpp"

#include <utility>

namespace holdfast::api {

counted_holds::counted_holds(const lock_object& lock)
    : lock_{lock}, key_{static_cast<char>('0' + static_cast<int>(lock.id.layout)) + lock.id.name} {}

thread_holds::relock_result counted_holds::lock_again(const acquire_call& call) {
    if (const auto held = entry(); held.count > 0) {
        if (held.held->why_lost() || !held.held->valid()) {
            fail(call.failure(), errc::lost, lock_.text(),
                 "an outer lock of this thread was lost; unlock every level before you lock again");
            return relock_result::refused;
        }
        lock_.core->recursion().increment(core::this_thread(), key_);
        return relock_result::done;
    }
    if (core::held_by_this_thread(*lock_.core, lock_.id)) { // as a mutex, which does not count
        fail(call.failure(), errc::would_deadlock, lock_.text());
        return relock_result::refused;
    }
    return relock_result::not_held;
}

void counted_holds::add(const std::shared_ptr<core::hold>& hold) {
    give_to_this_thread(lock_, hold,
                        [&] { lock_.core->recursion().begin(core::this_thread(), key_, hold); });
}

thread_holds::removed counted_holds::remove(mode /*mode*/) {
    if (entry().count == 0) { return {}; }
    auto hold = lock_.core->recursion().decrement(core::this_thread(), key_);
    if (hold) { core::forget_hold(hold.get()); }
    return {true, std::move(hold)};
}

core::recursion::entry counted_holds::entry() const {
    if (lock_.core->inherited()) { return {}; } // its mutex may have been held at the fork()
    return lock_.core->recursion().find(core::this_thread(), key_);
}

} // namespace holdfast::api
