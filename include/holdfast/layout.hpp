#pragma once

#include <cstdint>

namespace holdfast {

/// How Redis stores a lock; the other engines have only `native`. All users of a lock need the same
/// layout: locks of different layouts do not exclude each other.
///
/// The others share a lock with services that do not use Holdfast, in both directions. They have no
/// hand-off, min_hold and note, `plain` and `redisson_fair` no shared_mutex and counting_semaphore;
/// asking for one of these fails with unsupported. docs/layouts.md has the whole table.
enum class layout : std::uint8_t {
    native, ///< Holdfast's own: everything
    plain,  ///< a string under the name itself, `SET NX PX`: go-zero, redsync, redis-py, ...
    /// A mutex is Redisson's RLock, or with `lock_options::fencing` its RFencedLock; a shared_mutex
    /// its RReadWriteLock; a counting_semaphore its RPermitExpirableSemaphore or RSemaphore.
    redisson,
    redisson_fair, ///< a mutex is Redisson's fair lock, with its queue
};

} // namespace holdfast
