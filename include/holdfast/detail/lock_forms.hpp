#pragma once
// lock() and its variants: holds that belong to the calling thread, as in std.

#include <holdfast/detail/acquire_forms.hpp>

namespace holdfast::detail {

class lock_forms : public acquire_forms {
public:
    /// Waits for the lock; the calling thread holds it then. With a std::error_code it returns
    /// false if it failed.
    void lock(const acquire_options& options = {}) { handle().lock(wanted(), options, nullptr); }
    bool lock(std::error_code& failure) { return handle().lock(wanted(), {}, &failure); }
    bool lock(const acquire_options& options, std::error_code& failure) {
        return handle().lock(wanted(), options, &failure);
    }

    /// Makes one attempt. False if someone else holds the lock.
    [[nodiscard]] bool try_lock(const acquire_options& options = {}) {
        return handle().try_lock(wanted(), wait_limit::none(), options, nullptr);
    }
    [[nodiscard]] bool try_lock(std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::none(), {}, &failure);
    }
    [[nodiscard]] bool try_lock(const acquire_options& options, std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::none(), options, &failure);
    }

    /// Waits for a duration at most. False if someone else held the lock all the time, or if
    /// stopped.
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait,
                                    const acquire_options& options = {}) {
        return handle().try_lock(wanted(), wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait,
                                    std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::from(wait), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait,
                                    const acquire_options& options, std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. False if someone else held the lock all the time, or if
    /// stopped.
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                      const acquire_options& options = {}) {
        return handle().try_lock(wanted(), wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                      std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::until(deadline), {}, &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                      const acquire_options& options, std::error_code& failure) {
        return handle().try_lock(wanted(), wait_limit::until(deadline), options, &failure);
    }

    /// Ends the calling thread's hold. Never throws: failures go to the observer. It waits for the
    /// reply for 200 ms at most; then the release continues in the background, and this client's
    /// next request for the name follows it.
    void unlock() noexcept { handle().unlock(wanted()); }

    /// The fencing token of the calling thread's hold: see lease::token(). Throws not_held if the
    /// thread has none, unsupported if the engine or layout has no tokens.
    [[nodiscard]] std::uint64_t token() const { return handle().token(); }

    /// Stop is requested when the calling thread's hold is lost: see lease::lost(). Throws not_held
    /// if the thread has none, limit_reached if the system refuses a thread for callbacks.
    [[nodiscard]] std::stop_token lost() const { return handle().lost(); }

    /// Whether the calling thread holds the lock and no one else can hold it at this instant.
    [[nodiscard]] bool valid() const noexcept { return handle().valid(); }

protected:
    using acquire_forms::acquire_forms;
};

} // namespace holdfast::detail
