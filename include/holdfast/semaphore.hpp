#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/acquire_forms.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace holdfast {

/// std::counting_semaphore across processes: at most `limit` permits are out at a time. Every user
/// of a name must give the same limit: another one is errc::wrong_limit while permits are out.
///
///     holdfast::counting_semaphore slots{fleet, "encoder", 3};
///     auto slot = slots.acquire();      // one permit; given back by the lease
///     auto pair = slots.acquire(2);     // two, all or none
///
/// Unlike in std a permit is a lease: it comes back by itself if its holder dies. Its token is an
/// id, not a fence. Errors and thread safety: as for mutex.
class counting_semaphore : public detail::acquire_forms {
public:
    /// Throws invalid_name or invalid_option (limit outside 1..10,000); does no I/O.
    counting_semaphore(const client& client, std::string name, unsigned limit,
                       hold_options defaults = {})
        : acquire_forms{client, std::move(name),    primitive::semaphore,
                        limit,  {mode::permits, 1}, std::move(defaults)},
          limit_{limit} {}

    using acquire_forms::acquire;
    using acquire_forms::try_acquire;
    using acquire_forms::try_acquire_for;

    [[nodiscard]] lease acquire(unsigned permits) {
        return acquire(permits, the_gate().defaults());
    }
    template <std::same_as<std::stop_token> Token>
    [[nodiscard]] lease acquire(unsigned permits, Token stop) {
        return acquire(permits, the_gate().defaults(), std::move(stop));
    }
    [[nodiscard]] lease acquire(unsigned permits, const hold_options& options, std::stop_token stop,
                                std::error_code& failure) {
        return the_gate().acquire({mode::permits, permits}, options, std::move(stop), &failure);
    }
    [[nodiscard]] lease acquire(unsigned permits, const hold_options& options,
                                std::stop_token stop = {}) {
        return the_gate().acquire({mode::permits, permits}, options, std::move(stop), nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(unsigned permits) {
        return try_acquire(permits, the_gate().defaults());
    }
    [[nodiscard]] std::optional<lease> try_acquire(unsigned permits, const hold_options& options) {
        return the_gate().acquire({mode::permits, permits}, detail::patience::none(), options, {},
                                  nullptr);
    }
    [[nodiscard]] std::optional<lease> try_acquire(unsigned permits, std::error_code& failure) {
        return the_gate().acquire({mode::permits, permits}, detail::patience::none(),
                                  the_gate().defaults(), {}, &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(unsigned permits, const std::chrono::duration<Rep, Period>& wait) {
        return try_acquire_for(permits, wait, the_gate().defaults());
    }
    template <class Rep, class Period>
    [[nodiscard]] std::optional<lease>
    try_acquire_for(unsigned permits, const std::chrono::duration<Rep, Period>& wait,
                    const hold_options& options, std::stop_token stop = {}) {
        return the_gate().acquire({mode::permits, permits}, detail::patience::of(wait), options,
                                  std::move(stop), nullptr);
    }

    /// The most permits that can be out at a time.
    [[nodiscard]] unsigned max() const noexcept { return limit_; }

private:
    unsigned limit_;
};

} // namespace holdfast
