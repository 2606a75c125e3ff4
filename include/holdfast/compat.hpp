#pragma once
// Options that agree with those of other libraries, for locks that are shared with them.

#include <holdfast/layout.hpp>
#include <holdfast/options.hpp>

#include <chrono>

namespace holdfast::compat {

/// As a RedisLock of go-zero's after SetExpire(expire): whole seconds, and half a second more.
/// 0 is what it does without SetExpire.
///
///     holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::go_zero(10s)};
///
/// Unlike there the lease is renewed for as long as it is held: set `renew` to false if you do not
/// want that.
[[nodiscard]] inline hold_options go_zero(std::chrono::seconds expire) {
    hold_options options;
    options.lease = std::chrono::milliseconds{expire} + std::chrono::milliseconds{500};
    options.layout = layout::plain;
    return options;
}

/// As the Redlock family counts (redsync, node-redlock): 0.01 * ttl + 2 ms before the server's
/// deadline the lock is not relied on any more. This is the margin, which comes on top of what
/// every lease keeps for clocks that differ.
[[nodiscard]] inline hold_options redlock(std::chrono::milliseconds ttl = std::chrono::seconds{8}) {
    hold_options options;
    options.lease = ttl;
    options.margin = ttl / 100 + std::chrono::milliseconds{2};
    options.layout = layout::plain;
    return options;
}

/// As Redisson's getLock() with its watchdog: 30 s, renewed at each third.
[[nodiscard]] inline hold_options redisson() {
    hold_options options;
    options.layout = layout::redisson;
    return options;
}

/// As Redisson's getFencedLock(): the same with a token.
[[nodiscard]] inline hold_options redisson_fenced() {
    hold_options options = redisson();
    options.fencing = true;
    return options;
}

} // namespace holdfast::compat
