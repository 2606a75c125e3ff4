#pragma once
// Options for locks that are shared with other libraries.

#include <holdfast/layout.hpp>
#include <holdfast/options.hpp>

#include <chrono>

namespace holdfast::compat {

/// The terms of go-zero's RedisLock after SetExpire(expire): whole seconds, and half a second more.
/// 0 stands for a lock without SetExpire.
///
///     holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::go_zero(10s)};
///
/// Unlike go-zero, Holdfast renews the lease while the lock is held, unless `renew` is false.
[[nodiscard]] inline lock_options go_zero(std::chrono::seconds expire) {
    lock_options options;
    options.lease = std::chrono::milliseconds{expire} + std::chrono::milliseconds{500};
    options.layout = layout::plain;
    return options;
}

/// The terms of the Redlock family (redsync, node-redlock), which stop relying on a lock
/// 0.01 * ttl + 2 ms before the server's deadline. That becomes the margin, in addition to what
/// every lease allows for clocks that differ.
[[nodiscard]] inline lock_options redlock(std::chrono::milliseconds ttl = std::chrono::seconds{8}) {
    lock_options options;
    options.lease = ttl;
    options.margin = ttl / 100 + std::chrono::milliseconds{2};
    options.layout = layout::plain;
    return options;
}

/// The terms of Redisson's getLock() with its watchdog: 30 s, renewed after each third.
[[nodiscard]] inline lock_options redisson() {
    lock_options options;
    options.layout = layout::redisson;
    return options;
}

/// The terms of Redisson's getFencedLock(): the same with a token.
[[nodiscard]] inline lock_options redisson_fenced() {
    lock_options options = redisson();
    options.fencing = true;
    return options;
}

} // namespace holdfast::compat
