#pragma once

#include <holdfast/detail/lock_together.hpp>

#include <chrono>
#include <tuple>

namespace holdfast {

/// std::lock across processes: locks all of them or none, without deadlock, whatever the order of
/// the arguments. The calling thread holds them then, as after lock().
///
///     holdfast::lock_all(from, to);
///
/// If all are free and nobody waits for them, that is one request where one server has all the
/// names. Otherwise it waits for one after the other in the order of their names, and keeps its
/// place in each queue. std::lock also works with these locks, but tries again and again.
///
/// Fails like lock(): with would_deadlock if the calling thread holds one of them already, also in
/// layout plain, or if two of the locks have the same name, unless these are recursive. All must be
/// of one client, or it fails with invalid_option.
template <detail::lockable_together... Locks>
void lock_all(Locks&... locks) {
    detail::lock_handle::lock_all(detail::handles_of(locks...), detail::wait_limit::unlimited(), {},
                                  nullptr);
}

/// Makes one attempt. False if someone else holds one of them; then none is locked.
template <detail::lockable_together... Locks>
[[nodiscard]] bool try_lock_all(Locks&... locks) {
    return detail::lock_handle::lock_all(detail::handles_of(locks...), detail::wait_limit::none(),
                                         {}, nullptr);
}

/// Waits for a duration at most. False if not all were granted in time; then none is locked.
template <class Rep, class Period, detail::lockable_together... Locks>
[[nodiscard]] bool try_lock_all_for(const std::chrono::duration<Rep, Period>& wait,
                                    Locks&... locks) {
    return detail::lock_handle::lock_all(detail::handles_of(locks...),
                                         detail::wait_limit::from(wait), {}, nullptr);
}

/// Waits until a point in time at most. False if not all were granted in time; then none is locked.
template <class Clock, class Duration, detail::lockable_together... Locks>
[[nodiscard]] bool try_lock_all_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                      Locks&... locks) {
    return detail::lock_handle::lock_all(detail::handles_of(locks...),
                                         detail::wait_limit::until(deadline), {}, nullptr);
}

/// Unlocks each of them as unlock() does, with one request where one server has all the names.
template <detail::lockable_together... Locks>
void unlock_all(Locks&... locks) noexcept {
    detail::lock_handle::unlock_all(detail::handles_of(locks...));
}

/// std::scoped_lock across processes: lock_all() in the constructor, unlock_all() in the
/// destructor.
///
///     holdfast::scoped_lock_all both{from, to};
///     move_money(from.token(), to.token());
///
/// Thread safety: belongs to the thread that made it.
template <detail::lockable_together... Locks>
class scoped_lock_all {
public:
    /// Throws as lock_all() does.
    explicit scoped_lock_all(Locks&... locks) : locks_{locks...} { lock_all(locks...); }
    scoped_lock_all(const scoped_lock_all&) = delete;
    scoped_lock_all& operator=(const scoped_lock_all&) = delete;
    ~scoped_lock_all() {
        std::apply([](Locks&... locks) { unlock_all(locks...); }, locks_);
    }

private:
    std::tuple<Locks&...> locks_;
};

} // namespace holdfast
