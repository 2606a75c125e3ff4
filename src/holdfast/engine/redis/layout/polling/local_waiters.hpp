#pragma once
// This client's waiters for locks whose layout has no queue.

#include "holdfast/base/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::engine::redis {

/// A queue per channel. A release publishes one message, and only one waiter can get the lock: so
/// the first one is notified and acquires again; if it leaves, the next one is notified.
///
/// A channel stays subscribed while there are waiters, and a second longer, because a lock that was
/// contended once will be again.
///
/// Thread safety: none.
class local_waiters {
public:
    [[nodiscard]] bool empty() const noexcept { return queues_.empty(); }
    [[nodiscard]] bool any(std::string_view channel) const;

    /// Appends a waiter for the lock `name`, or keeps it at its place; how many are before it.
    std::size_t add(const std::string& channel, const std::string& name, std::uint64_t number,
                    base::instant now);
    /// It got the lock.
    void serve(std::string_view channel, std::uint64_t number, base::instant now);
    /// It waits no longer; returns the waiter to notify in its place, if any.
    [[nodiscard]] std::optional<std::uint64_t> leave(std::string_view channel, std::uint64_t number,
                                                     base::instant now);
    /// The waiter to notify of a message.
    [[nodiscard]] std::optional<std::uint64_t> first(std::string_view channel, base::instant now);
    [[nodiscard]] std::vector<std::uint64_t> all(std::string_view channel) const;

    /// When `take_idle` should be called next.
    [[nodiscard]] base::instant due() const noexcept { return due_; }
    struct idle_channel {
        std::string channel{};
        std::string name{}; ///< of the lock
    };
    /// Removes and returns the channels that are no longer needed.
    [[nodiscard]] std::vector<idle_channel> take_idle(base::instant now);

private:
    struct local_waiter {
        std::uint64_t number = 0;
        base::instant asked{}; ///< for the last time
    };
    struct channel_waiters {
        std::string name{};
        std::vector<local_waiter> waiters{}; ///< first come, first notified
        base::instant idle_since{};

        /// Drops waiters that have not asked for `waiter_timeout`.
        void drop_silent(base::instant now);
    };

    [[nodiscard]] const channel_waiters* find(std::string_view channel) const;
    [[nodiscard]] channel_waiters* find(std::string_view channel);
    void remove(channel_waiters& queue, std::uint64_t number, base::instant now);

    std::map<std::string, channel_waiters, std::less<>> queues_; ///< by channel
    base::instant due_ = base::never;
};

} // namespace holdfast::engine::redis
