#pragma once
// acquire() and its variants, which all primitives have.

#include <holdfast/detail/lock_handle.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::detail {

class acquire_forms {
public:
    /// Waits for the lock and returns its lease. With a std::error_code the lease is empty if it
    /// failed.
    [[nodiscard]] lease acquire(const acquire_options& options = {}) {
        return handle_.acquire(share_, options, nullptr);
    }
    [[nodiscard]] lease acquire(std::error_code& failure) {
        return handle_.acquire(share_, {}, &failure);
    }
    [[nodiscard]] lease acquire(const acquire_options& options, std::error_code& failure) {
        return handle_.acquire(share_, options, &failure);
    }

    /// Makes one attempt. Empty if someone else holds the lock.
    [[nodiscard]] std::optional<lease> try_acquire(const acquire_options& options = {}) {
        return handle_.try_acquire(share_, wait_limit::none(), options, nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::none(), {}, &failure);
    }
    [[nodiscard]] std::optional<lease> try_acquire(const acquire_options& options,
                                                   std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::none(), options, &failure);
    }

    /// Waits for a duration at most. Empty if someone else held the lock all the time, or if
    /// stopped.
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait,
                    const acquire_options& options = {}) {
        return handle_.try_acquire(share_, wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait, std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::from(wait), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait, const acquire_options& options,
                    std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. Empty if someone else held the lock all the time, or if
    /// stopped.
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options = {}) {
        return handle_.try_acquire(share_, wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& deadline,
                      std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::until(deadline), {}, &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options, std::error_code& failure) {
        return handle_.try_acquire(share_, wait_limit::until(deadline), options, &failure);
    }

    /// The name that the lock was made with.
    [[nodiscard]] const std::string& name() const noexcept { return handle_.name(); }

protected:
    acquire_forms(const client& client, std::string name, lock_class type, unsigned limit,
                  share wanted, lock_options options)
        : handle_{client, std::move(name), type, limit, std::move(options)}, share_{wanted} {}

    [[nodiscard]] lock_handle& handle() noexcept { return handle_; }
    [[nodiscard]] const lock_handle& handle() const noexcept { return handle_; }
    [[nodiscard]] share wanted() const noexcept { return share_; }

private:
    friend struct handle_access;

    lock_handle handle_;
    share share_;
};

} // namespace holdfast::detail
