#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/patience.hpp>
#include <holdfast/export.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

namespace holdfast {

/// std::recursive_timed_mutex across processes. Counted per client, name and thread: a thread may
/// lock a name again through this or any other recursive_mutex of the same client, with no word to
/// the engine, and holds it until it has unlocked as often. To other clients it is a mutex.
///
///     holdfast::recursive_mutex account{fleet, "account:7"};
///     std::scoped_lock outer{account};
///     pay();                                  // locks account:7 again: count() is 2 in there
///
/// The options of the first lock hold for all. If the lease is lost while it is held, locking again
/// throws lost until the thread has unlocked all it had: the outer scopes must not go on as if
/// nothing had happened. A thread that holds the name as a mutex gets would_deadlock, and the other
/// way round. Errors and thread safety: as for mutex.
class HOLDFAST_API recursive_mutex {
public:
    /// Throws invalid_name or invalid_option; does no I/O.
    recursive_mutex(const client& client, std::string name, hold_options defaults = {});
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;
    ~recursive_mutex();

    void lock() { lock_within(detail::patience::forever(), nullptr); }
    bool lock(std::error_code& failure) {
        return lock_within(detail::patience::forever(), &failure);
    }
    [[nodiscard]] bool try_lock() { return lock_within(detail::patience::none(), nullptr); }
    [[nodiscard]] bool try_lock(std::error_code& failure) {
        return lock_within(detail::patience::none(), &failure);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait) {
        return lock_within(detail::patience::of(wait), nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& wait,
                                    std::error_code& failure) {
        return lock_within(detail::patience::of(wait), &failure);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& when) {
        return lock_within(detail::patience::until(when), nullptr);
    }
    void unlock() noexcept;

    /// How often the calling thread holds it now.
    [[nodiscard]] unsigned count() const noexcept;

    /// Of the calling thread's hold; throw not_held if it has none.
    [[nodiscard]] std::uint64_t token() const;
    [[nodiscard]] std::stop_token lost() const;
    [[nodiscard]] bool valid() const noexcept;

    [[nodiscard]] const std::string& name() const noexcept;

private:
    bool lock_within(detail::patience wait, std::error_code* failure);

    class body;
    std::unique_ptr<body> body_;
};

} // namespace holdfast
