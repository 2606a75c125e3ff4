#pragma once
// What makes a lock Lockable and TimedLockable: holds that belong to the calling thread.

#include <holdfast/detail/acquire_forms.hpp>

namespace holdfast::detail {

class lock_forms : public acquire_forms {
public:
    void lock() { the_gate().lock(wanted(), detail::patience::forever(), nullptr); }
    bool lock(std::error_code& failure) {
        return the_gate().lock(wanted(), detail::patience::forever(), &failure);
    }
    [[nodiscard]] bool try_lock() {
        return the_gate().lock(wanted(), detail::patience::none(), nullptr);
    }
    [[nodiscard]] bool try_lock(std::error_code& failure) {
        return the_gate().lock(wanted(), detail::patience::none(), &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
        return the_gate().lock(wanted(), detail::patience::of(wait), nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait,
                                    std::error_code& failure) {
        return the_gate().lock(wanted(), patience::of(wait), &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when,
                                      std::error_code& failure) {
        return the_gate().lock(wanted(), patience::until(when), &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
        return the_gate().lock(wanted(), detail::patience::until(when), nullptr);
    }
    void unlock() noexcept { the_gate().unlock(wanted()); }

    /// Of the calling thread's hold; throw not_held if it has none.
    [[nodiscard]] std::uint64_t token() const { return the_gate().token(); }
    [[nodiscard]] std::stop_token lost() const { return the_gate().lost(); }
    /// Whether the calling thread's hold is surely still ours.
    [[nodiscard]] bool valid() const noexcept { return the_gate().valid(); }

protected:
    using acquire_forms::acquire_forms;
};

} // namespace holdfast::detail
