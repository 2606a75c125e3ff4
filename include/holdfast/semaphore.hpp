#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/acquire_forms.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast {

/// How many permits a call takes: any integer converts to it. A type of its own, so that
/// `acquire({})` means the options and not 0 permits.
class permit_count {
public:
    template <std::integral Number>
    constexpr permit_count(Number number) noexcept // NOLINT(google-explicit-constructor)
        : value_{std::in_range<unsigned>(number) ? static_cast<unsigned>(number)
                 : std::cmp_less(number, 0)      ? 0U
                                                 : ~0U} {}

    /// 0 for a number that is negative, the largest for one that is too large; a call refuses both.
    [[nodiscard]] constexpr unsigned value() const noexcept { return value_; }

private:
    unsigned value_;
};

/// std::counting_semaphore across processes: at most `limit` permits are out at a time. Every user
/// of a name must give the same limit: another one fails with wrong_limit while permits are out.
/// After resize() the new limit counts for all users, whatever limit they have given. In layout
/// redisson the first user's counts.
///
///     holdfast::counting_semaphore slots{fleet, "encoder", 3};
///     auto slot = slots.acquire();      // one permit; the lease returns it
///     auto pair = slots.acquire(2);     // two, both or neither
///
/// Unlike in std a permit is a lease: it comes back by itself if its holder dies. Its token is an
/// id, not a fence. Errors and thread safety: as for mutex. A number of permits outside 1..limit
/// fails with invalid_option.
class counting_semaphore : public detail::acquire_forms {
public:
    /// Throws invalid_name or invalid_option (limit outside 1..10,000); does no I/O.
    counting_semaphore(const client& client, std::string name, unsigned limit,
                       lock_options options = {})
        : acquire_forms{client, std::move(name),    detail::lock_class::semaphore,
                        limit,  {mode::permits, 1}, std::move(options)},
          limit_{limit} {}

    using acquire_forms::acquire;
    using acquire_forms::try_acquire;
    using acquire_forms::try_acquire_for;
    using acquire_forms::try_acquire_until;

    /// Waits until that many permits are free, and takes all of them in one lease. With a
    /// std::error_code the lease is empty if it failed.
    [[nodiscard]] lease acquire(permit_count permits, const acquire_options& options = {}) {
        return handle().acquire(share_of(permits), options, nullptr);
    }
    [[nodiscard]] lease acquire(permit_count permits, std::error_code& failure) {
        return handle().acquire(share_of(permits), {}, &failure);
    }
    [[nodiscard]] lease acquire(permit_count permits, const acquire_options& options,
                                std::error_code& failure) {
        return handle().acquire(share_of(permits), options, &failure);
    }

    /// Makes one attempt. Empty if fewer permits are free.
    [[nodiscard]] std::optional<lease> try_acquire(permit_count permits,
                                                   const acquire_options& options = {}) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::none(), options,
                                    nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(permit_count permits, std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::none(), {}, &failure);
    }
    [[nodiscard]] std::optional<lease>
    try_acquire(permit_count permits, const acquire_options& options, std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::none(), options,
                                    &failure);
    }

    /// Waits for a duration at most. Empty if too few permits became free, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(permit_count permits, const std::chrono::duration<Rep, Period>& wait,
                    const acquire_options& options = {}) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::from(wait), options,
                                    nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(permit_count permits, const std::chrono::duration<Rep, Period>& wait,
                    std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::from(wait), {},
                                    &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(permit_count permits, const std::chrono::duration<Rep, Period>& wait,
                    const acquire_options& options, std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::from(wait), options,
                                    &failure);
    }

    /// Waits until a point in time at most. Empty if too few permits became free, or if stopped.
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(permit_count permits,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options = {}) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::until(deadline), options,
                                    nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(permit_count permits,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::until(deadline), {},
                                    &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(permit_count permits,
                      const std::chrono::time_point<Clock, Duration>& deadline,
                      const acquire_options& options, std::error_code& failure) {
        return handle().try_acquire(share_of(permits), detail::wait_limit::until(deadline), options,
                                    &failure);
    }

    /// The limit that this object was made with. resize() does not change it: see available().
    [[nodiscard]] unsigned max() const noexcept { return limit_; }

    /// Changes the limit for all users of the name, from 1 to 10,000. If it grows, waiters get
    /// permits in their order, in the same step. If it shrinks, holders keep their permits, and
    /// nobody gets one until fewer than the new limit are out. A request for more permits than the
    /// limit fails with invalid_option, also one that waits. The limit stays until the next
    /// resize(), or until the semaphore was not used for 30 days. If two calls overlap, one of them
    /// counts. With a std::error_code it returns false if it failed. Layout redisson: unsupported.
    void resize(permit_count limit) { (void)handle().resize(limit.value(), nullptr); }
    bool resize(permit_count limit, std::error_code& failure) {
        return handle().resize(limit.value(), &failure);
    }

    /// How many permits are free: the limit without what is held now. Others may
    /// take or return some before you use the number. Waiters do not count, but they are served
    /// first. Fails with wrong_limit while others use it with another limit. With a std::error_code
    /// it returns 0 if it failed.
    [[nodiscard]] unsigned available() const { return handle().available(nullptr); }
    [[nodiscard]] unsigned available(std::error_code& failure) const {
        return handle().available(&failure);
    }

private:
    static constexpr detail::share share_of(permit_count permits) noexcept {
        return {mode::permits, permits.value()};
    }

    unsigned limit_;
};

} // namespace holdfast
