#pragma once
// The ways to ask for a lease that all locks have in common.

#include <holdfast/detail/gate.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::detail {

/// Contention is an empty optional. Failure is thrown as holdfast::error, or set in the
/// std::error_code. A stop_token makes acquire() fail with cancelled and the try forms answer
/// empty. Options that are not given are those that the lock was made with.
class acquire_forms {
public:
    [[nodiscard]] lease acquire() { return gate_.acquire(want_, gate_.defaults(), {}, nullptr); }
    /// Only for a stop_token itself, so that `acquire({})` means the options.
    template <std::same_as<std::stop_token> Token>
    [[nodiscard]] lease acquire(Token stop) {
        return gate_.acquire(want_, gate_.defaults(), std::move(stop), nullptr);
    }
    [[nodiscard]] lease acquire(const hold_options& options, std::stop_token stop = {}) {
        return gate_.acquire(want_, options, std::move(stop), nullptr);
    }
    [[nodiscard]] lease acquire(std::error_code& failure) {
        return gate_.acquire(want_, gate_.defaults(), {}, &failure);
    }
    [[nodiscard]] lease acquire(const hold_options& options, std::error_code& failure) {
        return gate_.acquire(want_, options, {}, &failure);
    }
    [[nodiscard]] lease acquire(const hold_options& options, std::stop_token stop,
                                std::error_code& failure) {
        return gate_.acquire(want_, options, std::move(stop), &failure);
    }

    [[nodiscard]] std::optional<lease> try_acquire() {
        return gate_.acquire(want_, detail::patience::none(), gate_.defaults(), {}, nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(const hold_options& options) {
        return gate_.acquire(want_, detail::patience::none(), options, {}, nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(std::error_code& failure) {
        return gate_.acquire(want_, detail::patience::none(), gate_.defaults(), {}, &failure);
    }
    [[nodiscard]] std::optional<lease> try_acquire(const hold_options& options,
                                                   std::error_code& failure) {
        return gate_.acquire(want_, detail::patience::none(), options, {}, &failure);
    }

    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait, std::error_code& failure) {
        return gate_.acquire(want_, patience::of(wait), gate_.defaults(), {}, &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                      std::error_code& failure) {
        return gate_.acquire(want_, patience::until(when), gate_.defaults(), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait) {
        return gate_.acquire(want_, detail::patience::of(wait), gate_.defaults(), {}, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait, const hold_options& options,
                    std::stop_token stop = {}) {
        return gate_.acquire(want_, detail::patience::of(wait), options, std::move(stop), nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(const std::chrono::duration<Rep, Period>& wait, const hold_options& options,
                    std::stop_token stop, std::error_code& failure) {
        return gate_.acquire(want_, detail::patience::of(wait), options, std::move(stop), &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& when) {
        return gate_.acquire(want_, detail::patience::until(when), gate_.defaults(), {}, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                      const hold_options& options, std::stop_token stop = {}) {
        return gate_.acquire(want_, detail::patience::until(when), options, std::move(stop),
                             nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] std::optional<lease>
    try_acquire_until(const std::chrono::time_point<Clock, Duration>& when,
                      const hold_options& options, std::stop_token stop, std::error_code& failure) {
        return gate_.acquire(want_, detail::patience::until(when), options, std::move(stop),
                             &failure);
    }

    [[nodiscard]] const std::string& name() const noexcept { return gate_.name(); }

protected:
    acquire_forms(const client& client, std::string name, primitive kind, unsigned limit, want want,
                  hold_options defaults)
        : gate_{client, std::move(name), kind, limit, std::move(defaults)}, want_{want} {}

    [[nodiscard]] gate& the_gate() noexcept { return gate_; }
    [[nodiscard]] const gate& the_gate() const noexcept { return gate_; }
    [[nodiscard]] want wanted() const noexcept { return want_; }

private:
    gate gate_;
    want want_;
};

} // namespace holdfast::detail
