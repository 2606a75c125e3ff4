#pragma once
// When a connection is ended because the server does not reply.

#include "holdfast/base/clock.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

/// A connection ends when its oldest request is not answered within the command time-out; and
/// sooner when a renewal timed out, because the rest of the lease is needed for another connection.
/// Pure policy, it does no I/O.
///
/// Thread safety: none.
class watchdog {
public:
    explicit watchdog(base::milliseconds command_timeout) noexcept : timeout_{command_timeout} {}

    void on_data(base::instant now) noexcept {
        last_data_ = now;
        renewal_failed_ = false;
    }
    /// A renewal enqueued at `sent` was not answered in time. The server counts as dead if it sent
    /// no data for half of that time: one that is merely busy replies to other requests.
    void on_unanswered_renewal(base::instant sent, base::instant now) noexcept {
        const bool silent = now - std::max(last_data_, sent) >= (now - sent) / 2;
        renewal_failed_ = renewal_failed_ || silent;
    }
    void end_session() noexcept { renewal_failed_ = false; }

    [[nodiscard]] bool renewal_failed() const noexcept { return renewal_failed_; }
    /// When a request must be answered.
    [[nodiscard]] base::instant deadline(base::instant enqueued) const noexcept {
        return enqueued + timeout_;
    }
    [[nodiscard]] base::milliseconds timeout() const noexcept { return timeout_; }

private:
    base::milliseconds timeout_;
    base::instant last_data_{};
    bool renewal_failed_ = false;
};

} // namespace holdfast::engine::redis
