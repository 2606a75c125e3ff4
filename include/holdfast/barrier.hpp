#pragma once

#include <holdfast/latch.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

namespace holdfast {

/// What a barrier is made with.
struct barrier_options {
    /// The engine forgets the barrier this long after its last arrival: those that still wait then
    /// fail with lost. 1 s to 365 days; 0: never.
    std::chrono::milliseconds keep{std::chrono::hours{1}};
};

/// std::barrier across processes: `expected` participants meet again and again. When all have
/// arrived the phase ends, all that wait continue, and the next phase begins.
///
///     holdfast::barrier round{fleet, "simulation", 4};
///     for (auto& step : steps) { compute(step); round.arrive_and_wait(); }
///
/// Each object is one participant and arrives once per phase, whatever has to be sent again; with
/// `arrival_options::id` it arrives for somebody else. Every user of a name gives the same count:
/// another one fails with wrong_limit. A participant that dies does not arrive: give the wait a
/// time-out. There is no completion function.
///
/// Errors and thread safety: as for latch. A wait fails with lost if the engine has forgotten the
/// barrier meanwhile, and with invalid_option if the token is not of an arrival at this barrier.
class HOLDFAST_API barrier {
public:
    /// Which phase an arrival belongs to; only for wait().
    class arrival_token {
    public:
        arrival_token() = default;

    private:
        friend class barrier;
        std::size_t barrier_ = 0; ///< a hash of its name
        std::uint64_t birth_ = 0;
        std::uint64_t phase_ = 0;
    };

    /// Throws invalid_name, invalid_option (expected outside 1..1,000, keep) or unsupported; does
    /// no I/O.
    barrier(const client& client, std::string name, unsigned expected,
            barrier_options options = {});
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;
    ~barrier();

    /// Arrives in the present phase, and does not wait for others.
    [[nodiscard]] arrival_token arrive(const arrival_options& options = {});
    [[nodiscard]] arrival_token arrive(const arrival_options& options, std::error_code& failure);

    /// Waits until the phase of the arrival has ended. With a std::error_code it returns false if
    /// it failed.
    void wait(const arrival_token& arrival, const wait_options& options = {}) const;
    bool wait(const arrival_token& arrival, const wait_options& options,
              std::error_code& failure) const;

    /// Waits for a duration at most. False if the phase has not ended by then, or if stopped.
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const arrival_token& arrival,
                                const std::chrono::duration<Rep, Period>& wait,
                                const wait_options& options = {}) const {
        return wait_at_most(arrival, detail::wait_limit::from(wait), options, nullptr);
    }
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const arrival_token& arrival,
                                const std::chrono::duration<Rep, Period>& wait,
                                const wait_options& options, std::error_code& failure) const {
        return wait_at_most(arrival, detail::wait_limit::from(wait), options, &failure);
    }

    /// Waits until a point in time at most. False if the phase has not ended by then, or if
    /// stopped.
    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const arrival_token& arrival,
                                  const std::chrono::time_point<Clock, Duration>& deadline,
                                  const wait_options& options = {}) const {
        return wait_at_most(arrival, detail::wait_limit::until(deadline), options, nullptr);
    }
    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const arrival_token& arrival,
                                  const std::chrono::time_point<Clock, Duration>& deadline,
                                  const wait_options& options, std::error_code& failure) const {
        return wait_at_most(arrival, detail::wait_limit::until(deadline), options, &failure);
    }

    /// Arrives, and waits until all have.
    void arrive_and_wait(const arrival_options& options = {});
    bool arrive_and_wait(const arrival_options& options, std::error_code& failure);

    /// The name that the barrier was made with.
    [[nodiscard]] const std::string& name() const noexcept;

private:
    [[nodiscard]] bool wait_at_most(const arrival_token& arrival, detail::wait_limit wait,
                                    const wait_options& options, std::error_code* failure) const;
    [[nodiscard]] arrival_token arrive_once(const arrival_options& options,
                                            std::error_code* failure);

    class body;
    std::unique_ptr<body> body_;
};

} // namespace holdfast
