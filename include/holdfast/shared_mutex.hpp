#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/lock_forms.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace holdfast {

/// std::shared_timed_mutex across processes: one writer, or any number of readers. Readers and
/// writers share one queue, first come first served where the engine can: a waiting writer is not
/// starved by readers that come later.
///
///     holdfast::shared_mutex prices{fleet, "prices"};
///     { std::shared_lock reading{prices}; show(); }
///     { std::scoped_lock writing{prices}; change(prices.token()); }
///
/// A reader's token is that of the last writer before it, so that readers do not refuse each other
/// in a store that keeps the highest token. Errors and thread safety: as for mutex. A thread that
/// holds it in either way must not lock it again in either: that throws would_deadlock.
class shared_mutex : public detail::lock_forms {
public:
    /// Throws invalid_name or invalid_option; does no I/O.
    shared_mutex(const client& client, std::string name, hold_options defaults = {})
        : lock_forms{client, std::move(name),      primitive::shared_mutex,
                     1,      {mode::exclusive, 1}, std::move(defaults)} {}

    void lock_shared() { the_gate().lock(reading, detail::patience::forever(), nullptr); }
    bool lock_shared(std::error_code& failure) {
        return the_gate().lock(reading, detail::patience::forever(), &failure);
    }
    [[nodiscard]] bool try_lock_shared(std::error_code& failure) {
        return the_gate().lock(reading, detail::patience::none(), &failure);
    }
    [[nodiscard]] bool try_lock_shared() {
        return the_gate().lock(reading, detail::patience::none(), nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& wait) {
        return the_gate().lock(reading, detail::patience::of(wait), nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
        return the_gate().lock(reading, detail::patience::until(when), nullptr);
    }
    void unlock_shared() noexcept { the_gate().unlock(reading); }

    [[nodiscard]] lease acquire_shared() {
        return the_gate().acquire(reading, the_gate().defaults(), {}, nullptr);
    }
    template <std::same_as<std::stop_token> Token>
    [[nodiscard]] lease acquire_shared(Token stop) {
        return the_gate().acquire(reading, the_gate().defaults(), std::move(stop), nullptr);
    }
    [[nodiscard]] lease acquire_shared(std::error_code& failure) {
        return the_gate().acquire(reading, the_gate().defaults(), {}, &failure);
    }
    [[nodiscard]] lease acquire_shared(const hold_options& options, std::stop_token stop = {}) {
        return the_gate().acquire(reading, options, std::move(stop), nullptr);
    }
    [[nodiscard]] lease acquire_shared(const hold_options& options, std::stop_token stop,
                                       std::error_code& failure) {
        return the_gate().acquire(reading, options, std::move(stop), &failure);
    }
    [[nodiscard]] std::optional<lease> try_acquire_shared() {
        return the_gate().acquire(reading, detail::patience::none(), the_gate().defaults(), {},
                                  nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire_shared(std::error_code& failure) {
        return the_gate().acquire(reading, detail::patience::none(), the_gate().defaults(), {},
                                  &failure);
    }
    [[nodiscard]] std::optional<lease> try_acquire_shared(const hold_options& options) {
        return the_gate().acquire(reading, detail::patience::none(), options, {}, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait) {
        return the_gate().acquire(reading, detail::patience::of(wait), the_gate().defaults(), {},
                                  nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait,
                           const hold_options& options, std::stop_token stop = {}) {
        return the_gate().acquire(reading, detail::patience::of(wait), options, std::move(stop),
                                  nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_for(const std::chrono::duration<Rep, Period>& wait,
                           const hold_options& options, std::stop_token stop,
                           std::error_code& failure) {
        return the_gate().acquire(reading, detail::patience::of(wait), options, std::move(stop),
                                  &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_shared_until(const std::chrono::time_point<Clock, Duration>& when) {
        return the_gate().acquire(reading, detail::patience::until(when), the_gate().defaults(), {},
                                  nullptr);
    }

private:
    static constexpr detail::want reading{mode::shared, 1};
};

} // namespace holdfast
