#pragma once

#include <holdfast/export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

/// How long something took: a count for each range of durations.
struct duration_histogram {
    /// The upper end of each range; it belongs to the range.
    static constexpr std::array<std::chrono::microseconds, 21> bounds{
        std::chrono::microseconds{100},
        std::chrono::microseconds{250},
        std::chrono::microseconds{500},
        std::chrono::milliseconds{1},
        std::chrono::microseconds{2'500},
        std::chrono::milliseconds{5},
        std::chrono::milliseconds{10},
        std::chrono::milliseconds{25},
        std::chrono::milliseconds{50},
        std::chrono::milliseconds{100},
        std::chrono::milliseconds{250},
        std::chrono::milliseconds{500},
        std::chrono::seconds{1},
        std::chrono::milliseconds{2'500},
        std::chrono::seconds{5},
        std::chrono::seconds{10},
        std::chrono::seconds{30},
        std::chrono::minutes{1},
        std::chrono::minutes{5},
        std::chrono::minutes{30},
        std::chrono::hours{2}};

    std::array<std::uint64_t, bounds.size() + 1> counts{}; ///< the last range has no upper end
    std::chrono::nanoseconds sum{0};

    /// Of all ranges.
    [[nodiscard]] std::uint64_t count() const noexcept {
        std::uint64_t all = 0;
        for (const auto each : counts) { all += each; }
        return all;
    }
};

/// Acquires by their outcome.
struct acquire_counts {
    std::uint64_t granted = 0;
    std::uint64_t busy = 0;         ///< a try, and someone else held the lock
    std::uint64_t timed_out = 0;    ///< someone else held it until the time-out
    std::uint64_t tried_enough = 0; ///< a quorum refused it quorum_options::tries times
    std::uint64_t cancelled = 0;    ///< by its stop_token
    std::uint64_t unavailable = 0;  ///< the engine did not answer, or could not be reached
    std::uint64_t refused = 0;      ///< the engine answered with an error, e.g. wrong_limit
};

/// Renewals by their answer.
struct renewal_counts {
    std::uint64_t renewed = 0;
    std::uint64_t lost = 0;    ///< the engine no longer had the hold
    std::uint64_t unknown = 0; ///< no reply came
    std::uint64_t failed = 0;  ///< the engine refused it, or could not be reached
};

/// Releases by their outcome.
struct release_counts {
    std::uint64_t released = 0;
    std::uint64_t handed_off = 0; ///< the same step granted the lock to a waiter
    std::uint64_t not_held = 0;   ///< the engine no longer had the hold
    std::uint64_t unknown = 0;    ///< no reply came before the lease ended, or the caller gave up
    std::uint64_t refused = 0;    ///< the engine answered with an error
};

/// Losses by their cause: see `loss`.
struct loss_counts {
    std::uint64_t expired = 0;
    std::uint64_t taken = 0;
    std::uint64_t max_hold = 0;
    std::uint64_t thread_exited = 0;
};

/// Requests whose reply was lost: each may or may not have happened. Holdfast repeats them.
struct unknown_counts {
    std::uint64_t acquire = 0;
    std::uint64_t heartbeat = 0; ///< of a waiter
    std::uint64_t renewal = 0;
    std::uint64_t release = 0;
    std::uint64_t withdrawal = 0; ///< of a wait that was given up
};

/// What a client has done since it was made, and what it does now: client::metrics().
///
/// A recursive lock counts once, and so does a call that only renews what the thread holds. Calls
/// that fail before the engine is asked do not count. docs/metrics.md explains each number.
struct metrics {
    acquire_counts acquires{};
    std::uint64_t waits = 0;     ///< acquires that found the lock held, and waited
    std::uint64_t hand_offs = 0; ///< waits that a holder's release granted, without a new request
    renewal_counts renewals{};
    release_counts releases{};
    loss_counts losses{};
    unknown_counts unknown_outcomes{};
    std::uint64_t reconnects = 0;   ///< connections that replaced one that had worked
    duration_histogram wait_time{}; ///< of granted acquires: from the call to the grant
    duration_histogram hold_time{}; ///< from the grant to the call of release, or to the loss
    std::uint64_t holds_now = 0;    ///< gauge
    std::uint64_t waits_now = 0;    ///< gauge
};

/// A label of all metrics of a client in a text for Prometheus, e.g. {"client", "orders"}. The name
/// consists of letters, digits and `_` and does not begin with a digit; the value is any text.
struct metric_label {
    std::string name{};
    std::string value{};
};

/// The metrics of one of several clients.
struct labelled_metrics {
    holdfast::metrics values{};
    std::vector<metric_label> labels{};
};

/// The metrics as Prometheus reads them (text format 0.0.4). Throws invalid_option if the name of a
/// label is not valid.
[[nodiscard]] HOLDFAST_API std::string to_prometheus(const metrics& values,
                                                     const std::vector<metric_label>& labels = {});

/// The same for several clients, whose labels must differ.
[[nodiscard]] HOLDFAST_API std::string to_prometheus(const std::vector<labelled_metrics>& clients);

} // namespace holdfast
