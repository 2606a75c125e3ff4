#pragma once
// Whether a server that does not reply is to be given up.

#include "holdfast/base/clock.hpp"

#include <algorithm>

namespace holdfast::engine::redis {

/// A connection is given up when its oldest request is not answered within the command time-out;
/// and sooner when a renewal waited in vain for its share of the lease: the rest of the lease is
/// needed for another connection. Pure policy, it does no I/O.
///
/// Thread safety: none.
class watchdog {
public:
    explicit watchdog(base::milliseconds command_timeout) noexcept : timeout_{command_timeout} {}

    void on_data(base::instant now) noexcept {
        heard_ = now;
        renewal_failed_ = false;
    }
    /// A renewal enqueued at `sent` was not answered in time. It proves that the server is dead if
    /// nothing has come for half of that time: one that is merely busy goes on replying to others.
    void on_unanswered_renewal(base::instant sent, base::instant now) noexcept {
        const bool silent = now - std::max(heard_, sent) >= (now - sent) / 2;
        renewal_failed_ = renewal_failed_ || silent;
    }
    void end_session() noexcept { renewal_failed_ = false; }

    [[nodiscard]] bool renewal_failed() const noexcept { return renewal_failed_; }
    /// By when a request has to be answered.
    [[nodiscard]] base::instant deadline(base::instant enqueued) const noexcept {
        return enqueued + timeout_;
    }
    [[nodiscard]] base::milliseconds timeout() const noexcept { return timeout_; }

private:
    base::milliseconds timeout_;
    base::instant heard_{};
    bool renewal_failed_ = false;
};

} // namespace holdfast::engine::redis
