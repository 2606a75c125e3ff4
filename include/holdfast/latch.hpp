#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/wait_limit.hpp>
#include <holdfast/export.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>

namespace holdfast {

/// What a latch is made with.
struct latch_options {
    /// The engine forgets the latch this long after its last arrival: then it counts from the
    /// beginning. 1 s to 365 days; 0: never.
    std::chrono::milliseconds keep{std::chrono::hours{1}};
};

/// What one arrival at a latch or a barrier asks for.
struct arrival_options {
    /// Who arrives, at most 64 bytes: the same id counts once, also from another process. Empty:
    /// each call arrives for itself, and still counts once if its request has to be sent again.
    std::string id{};

    /// Ends the call with cancelled: nothing has arrived if it was not sent yet, the arrival counts
    /// if arrive_and_wait() waits for others (what() says which); in between unknown_outcome.
    std::stop_token stop{};
};

/// What the engine knows of a latch.
struct latch_state {
    unsigned expected = 0; ///< 0: nobody has arrived yet, or it was forgotten
    unsigned arrived = 0;  ///< it is open when all have

    bool operator==(const latch_state&) const = default;
};

/// std::latch across processes: opens when `expected` have arrived, and stays open.
///
///     holdfast::latch ready{fleet, "deploy-42:ready", 3};
///     ready.count_down(1, {.id = hostname});   // on each of three hosts
///     if (!ready.wait_for(60s)) { roll_back(); }
///
/// Every user of a name gives the same count: another one fails with wrong_limit. Unlike in std,
/// arrivals after the last one have no effect.
///
/// Errors: a wait that times out, or is stopped, returns false. Failures are thrown as
/// holdfast::error, or set in the std::error_code, which is cleared on success. If the engine
/// cannot be reached for `connect_wait`, or for the time-out of the call if that is shorter, the
/// call fails with unavailable; an arrival that may have reached the engine fails with
/// unknown_outcome, and can be repeated with the same id. Engines without cells (a quorum, layouts
/// plain and redisson_fair) refuse the constructor with unsupported. In layout redisson it is
/// Redisson's count-down latch.
///
/// Thread safety: all members may be called from any thread. Neither copied nor moved, as in std.
class HOLDFAST_API latch {
public:
    /// Throws invalid_name, invalid_option (expected outside 1..1,000, keep) or unsupported; does
    /// no I/O.
    latch(const client& client, std::string name, unsigned expected, latch_options options = {});
    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;
    ~latch();

    /// Arrives `update` times. Does not wait for others. With a std::error_code it returns false if
    /// it failed.
    void count_down(unsigned update = 1, const arrival_options& options = {});
    bool count_down(unsigned update, const arrival_options& options, std::error_code& failure);

    /// Whether all have arrived.
    [[nodiscard]] bool try_wait() const;
    [[nodiscard]] bool try_wait(std::error_code& failure) const;

    /// How many arrivals are missing.
    [[nodiscard]] unsigned remaining() const;
    [[nodiscard]] unsigned remaining(std::error_code& failure) const;

    /// The latch as it is, also if it is in use with another count, except in layout redisson. For
    /// people who inspect it.
    [[nodiscard]] latch_state state() const;
    [[nodiscard]] latch_state state(std::error_code& failure) const;

    /// Waits until all have arrived. With a std::error_code it returns false if it failed.
    void wait(const wait_options& options = {}) const;
    bool wait(const wait_options& options, std::error_code& failure) const;

    /// Waits for a duration at most. False if not all have arrived by then, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& wait,
                                const wait_options& options = {}) const {
        return wait_at_most(detail::wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& wait,
                                const wait_options& options, std::error_code& failure) const {
        return wait_at_most(detail::wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. False if not all have arrived by then, or if stopped.
    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                  const wait_options& options = {}) const {
        return wait_at_most(detail::wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& deadline,
                                  const wait_options& options, std::error_code& failure) const {
        return wait_at_most(detail::wait_limit::until(deadline), options, &failure);
    }

    /// Arrives, and waits until all have.
    void arrive_and_wait(unsigned update = 1, const arrival_options& options = {});
    bool arrive_and_wait(unsigned update, const arrival_options& options, std::error_code& failure);

    /// Forgets all arrivals: the latch is closed again, also for those that wait.
    void reset();
    bool reset(std::error_code& failure);

    /// The name that the latch was made with.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    [[nodiscard]] bool wait_at_most(detail::wait_limit wait, const wait_options& options,
                                    std::error_code* failure) const;

    class body;
    std::unique_ptr<body> body_;
};

} // namespace holdfast
