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

/// What redsync does by default: an expiry of 8 s, 32 tries with 50 to 250 ms between them, and a
/// node that does not answer within a twentieth of the expiry is left out. The library relies on a
/// lock until 0.01 * expiry before its end; that becomes the margin, in addition to what every
/// lease allows for clocks that differ.
///
///     holdfast::client fleet{"redlock://redis1,redis2,redis3"};
///     holdfast::mutex stock{fleet, "stock:1001", holdfast::compat::redsync()};
///
/// Unlike redsync, Holdfast renews the lease while the lock is held, unless `renew` is false.
[[nodiscard]] inline lock_options redsync(std::chrono::milliseconds expiry = std::chrono::seconds{
                                              8}) {
    lock_options options;
    options.lease = expiry;
    options.margin = expiry / 100 + std::chrono::milliseconds{2};
    options.layout = layout::plain;
    options.quorum.node_timeout = expiry / 20;
    options.quorum.retry_min = std::chrono::milliseconds{50};
    options.quorum.retry_max = std::chrono::milliseconds{250};
    options.quorum.tries = 32;
    return options;
}

/// What node-redlock does by default: 10 retries with 100 to 300 ms between them, and it relies on
/// a lock until 0.01 * ttl + 2 ms before its end. The ttl is the caller's in node-redlock.
[[nodiscard]] inline lock_options redlock(std::chrono::milliseconds ttl = std::chrono::seconds{8}) {
    lock_options options;
    options.lease = ttl;
    options.margin = ttl / 100 + std::chrono::milliseconds{2};
    options.layout = layout::plain;
    options.quorum.retry_min = std::chrono::milliseconds{100};
    options.quorum.retry_max = std::chrono::milliseconds{300};
    options.quorum.tries = 11;
    return options;
}

/// The terms of Redisson's getLock() with its watchdog: 30 s, renewed after each third. Also for a
/// shared_mutex, which is its getReadWriteLock(), and for a counting_semaphore, which is its
/// getPermitExpirableSemaphore() or getSemaphore().
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

/// The terms of Redisson's getFairLock(): those of getLock(), in the order of its queue.
[[nodiscard]] inline lock_options redisson_fair() {
    lock_options options = redisson();
    options.layout = layout::redisson_fair;
    return options;
}

} // namespace holdfast::compat
