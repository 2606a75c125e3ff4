#pragma once
// What the server's clock shows, as far as can be told from here.

#include "holdfast/base/clock.hpp"

#include <chrono>
#include <cstdint>

namespace holdfast::engine::redis {

/// Kept from TIME answers. A request's not-after is told to the server in its own time; if the
/// estimate is too late by a little, a duplicate is believed for that much longer.
class server_clock {
public:
    /// The server answered `us` to something that was sent at `sent`.
    void learn(std::int64_t us, base::instant sent, base::instant now) noexcept {
        us_ = us;
        at_ = sent;
        learned_ = now;
    }
    [[nodiscard]] bool stale(base::instant now) const noexcept {
        return now >= base::later(learned_, good_for);
    }
    /// It has been asked for.
    void learn_soon(base::instant now) noexcept { learned_ = now; }
    /// In microseconds of the server's clock, at the latest.
    [[nodiscard]] std::int64_t translate(base::instant when) const noexcept {
        if (when == base::never) { return INT64_MAX; }
        return us_ + std::chrono::ceil<std::chrono::microseconds>(when - at_).count();
    }

private:
    // Clocks may differ by 1 % (P1): by then it is off by a tenth of a second at most.
    static constexpr std::chrono::seconds good_for{10};

    std::int64_t us_ = 0;
    base::instant at_{};
    base::instant learned_{};
};

} // namespace holdfast::engine::redis
