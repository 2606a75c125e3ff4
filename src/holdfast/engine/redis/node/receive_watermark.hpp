#pragma once
// When short replies may stay unread in the socket.

#include "holdfast/base/clock.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::engine::redis {

/// In a long queue a `queued` reply needs no wake-up of its own: SO_RCVLOWAT is raised above its
/// length, and the next wake-up is the grant itself. Replies that a caller needs are longer: see
/// acquire.lua. Pure policy, it does no I/O; docs/decisions/0012 has the reasons.
///
/// Thread safety: none.
class receive_watermark {
public:
    static constexpr int raised_bytes = 12;

    explicit receive_watermark(base::milliseconds command_timeout) noexcept
        // At most half of the time-out, so that an unread reply is read before it counts as
        // missing; and short enough for waiters to begin their heartbeats.
        : longest_{std::min(base::milliseconds{200}, command_timeout / 2)} {}

    /// A request whose short reply may stay unread is in flight, or no longer.
    void add(std::size_t weight) noexcept { suppressible_ += weight; }
    void remove(std::size_t weight) noexcept { suppressible_ -= weight; }
    /// Whether the last acquire found a long queue.
    void note_queue(bool is_long) noexcept { queue_is_long_ = is_long; }

    /// Whether to raise it: only while all requests in flight are of that kind.
    [[nodiscard]] bool wants_raising(std::size_t in_flight) const noexcept {
        return queue_is_long_ && suppressible_ == in_flight;
    }
    /// How long it may stay raised after the oldest request was enqueued.
    [[nodiscard]] base::milliseconds longest() const noexcept { return longest_; }
    void end_session() noexcept { suppressible_ = 0; }

private:
    base::milliseconds longest_;
    std::size_t suppressible_ = 0;
    bool queue_is_long_ = false;
};

} // namespace holdfast::engine::redis
