#pragma once
// An estimate of the server's clock.

#include "holdfast/engine/redis/node/pipeline.hpp"

#include <chrono>
#include <cstdint>

namespace holdfast::engine::redis {

/// Learns from TIME replies. A request's not-after is sent in the server's own time; if the
/// estimate is too late by a little, a duplicate is accepted for that much longer.
///
/// Thread safety: none.
class server_clock final : public request_handler {
public:
    /// The server's clock showed `us` in the reply to a request that was sent at `sent`.
    void learn(std::int64_t us, base::instant sent, base::instant now) noexcept {
        us_ = us;
        at_ = sent;
        learned_ = now;
    }
    /// False: this is no reply to TIME.
    [[nodiscard]] bool learn(const reply& time, base::instant sent, base::instant now) noexcept;
    /// Requests the time if the estimate is old.
    void refresh(pipeline& requests, base::instant now);
    /// An upper bound, in microseconds of the server's clock.
    [[nodiscard]] std::int64_t translate(base::instant instant) const noexcept {
        if (instant == base::never) { return INT64_MAX; }
        return us_ + std::chrono::ceil<std::chrono::microseconds>(instant - at_).count();
    }

    [[nodiscard]] bool on_reply(request& request, const reply& reply, base::instant now) override {
        return learn(reply, request.enqueued, now);
    }

private:
    std::int64_t us_ = 0;
    base::instant at_{};
    base::instant learned_{};
};

} // namespace holdfast::engine::redis
