#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_forms.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast {

/// std::shared_timed_mutex across processes: one writer, or any number of readers. Readers and
/// writers share one queue, first come, first served where the engine can: readers that come later
/// do not starve a waiting writer.
///
///     holdfast::shared_mutex prices{fleet, "prices"};
///     { std::shared_lock reading{prices}; show(); }
///     { std::scoped_lock writing{prices}; change(prices.token()); }
///
/// A reader's token is that of the last writer before it, so that a store which keeps the highest
/// token does not refuse one reader because of another. A thread that holds the lock in either mode
/// must not lock it again in either: that fails with would_deadlock. Errors and thread safety: as
/// for mutex.
class shared_mutex : public detail::lock_forms {
public:
    /// Throws invalid_name or invalid_option; does no I/O.
    shared_mutex(const client& client, std::string name, lock_options options = {})
        : lock_forms{client, std::move(name),      detail::lock_class::shared_mutex,
                     1,      {mode::exclusive, 1}, std::move(options)} {}

    /// Waits as a reader; the calling thread holds the lock then. With a std::error_code it returns
    /// false if it failed.
    void lock_shared(const acquire_options& options = {}) {
        handle().lock(reader, options, nullptr);
    }
    bool lock_shared(std::error_code& failure) { return handle().lock(reader, {}, &failure); }
    bool lock_shared(const acquire_options& options, std::error_code& failure) {
        return handle().lock(reader, options, &failure);
    }

    /// Makes one attempt. False if a writer holds the lock, or waits for it.
    [[nodiscard]] bool try_lock_shared(const acquire_options& options = {}) {
        return handle().try_lock(reader, detail::wait_limit::none(), options, nullptr);
    }
    [[nodiscard]] bool try_lock_shared(std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::none(), {}, &failure);
    }
    [[nodiscard]] bool try_lock_shared(const acquire_options& options, std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::none(), options, &failure);
    }

    /// Waits for a duration at most. False if it was not granted in time, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait,
                                           const acquire_options& options = {}) {
        return handle().try_lock(reader, detail::wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait,
                                           std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::from(wait), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait,
                                           const acquire_options& options,
                                           std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. False if it was not granted in time, or if stopped.
    template <class Clock, class Duration>
    [[nodiscard]] bool
    try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                          const acquire_options& options = {}) {
        return handle().try_lock(reader, detail::wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool
    try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                          std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::until(deadline), {}, &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool
    try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                          const acquire_options& options, std::error_code& failure) {
        return handle().try_lock(reader, detail::wait_limit::until(deadline), options, &failure);
    }

    /// Turns the calling thread's hold, or `held`, from a writer's into a reader's without a gap:
    /// no other writer gets in between, and readers that wait may enter. The token stays.
    /// Afterwards the thread unlocks with unlock_shared(); a std::unique_lock must release() it
    /// before, and a std::shared_lock{prices, std::adopt_lock} can take it over. Fails with
    /// not_held if it is no writer's hold of this lock, with lost if it was lost, with
    /// unknown_outcome if no reply came for `connect_wait` (then call it again, or release it), and
    /// with unsupported on a quorum, on Redis with max_lease, and in layout redisson. There is no
    /// way back: lock() by a thread that reads fails with would_deadlock. With a std::error_code it
    /// returns false if it failed.
    void downgrade() { handle().downgrade(nullptr); }
    bool downgrade(std::error_code& failure) { return handle().downgrade(&failure); }
    void downgrade(lease& held) { handle().downgrade(held, nullptr); }
    bool downgrade(lease& held, std::error_code& failure) {
        return handle().downgrade(held, &failure);
    }

    /// Ends the calling thread's hold as a reader, as unlock() does that of a writer.
    void unlock_shared() noexcept { handle().unlock(reader); }

    /// Waits as a reader and returns the lease. With a std::error_code the lease is empty if it
    /// failed.
    [[nodiscard]] lease acquire_shared(const acquire_options& options = {}) {
        return handle().acquire(reader, options, nullptr);
    }
    [[nodiscard]] lease acquire_shared(std::error_code& failure) {
        return handle().acquire(reader, {}, &failure);
    }
    [[nodiscard]] lease acquire_shared(const acquire_options& options, std::error_code& failure) {
        return handle().acquire(reader, options, &failure);
    }

    /// Makes one attempt. Empty if a writer holds the lock, or waits for it.
    [[nodiscard]] std::optional<lease> try_acquire_shared(const acquire_options& options = {}) {
        return handle().try_acquire(reader, detail::wait_limit::none(), options, nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire_shared(std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::none(), {}, &failure);
    }
    [[nodiscard]] std::optional<lease> try_acquire_shared(const acquire_options& options,
                                                          std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::none(), options, &failure);
    }

    /// Waits for a duration at most. Empty if it was not granted in time, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait,
                           const acquire_options& options = {}) {
        return handle().try_acquire(reader, detail::wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait,
                           std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::from(wait), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait,
                           const acquire_options& options, std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. Empty if it was not granted in time, or if stopped.
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                             const acquire_options& options = {}) {
        return handle().try_acquire(reader, detail::wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                             std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::until(deadline), {}, &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_until(const std::chrono::time_point<Clock, Duration>& deadline,
                             const acquire_options& options, std::error_code& failure) {
        return handle().try_acquire(reader, detail::wait_limit::until(deadline), options, &failure);
    }

private:
    static constexpr detail::share reader{mode::shared, 1};
};

} // namespace holdfast
