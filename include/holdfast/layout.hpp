#pragma once

#include <cstdint>

namespace holdfast {

/// How Redis stores a lock; the other engines have only `native`. All users of a lock need the same
/// layout: locks of different layouts do not exclude each other.
///
/// `plain` and `redisson` share a lock with services that do not use Holdfast, in both directions.
/// They have only mutex and recursive_mutex, without FIFO, hand-off, min_hold and note; asking for
/// one of these fails with unsupported. docs/layouts.md has the whole table.
enum class layout : std::uint8_t {
    native,   ///< Holdfast's own: everything, and the only one with a queue
    plain,    ///< a string under the name itself, `SET NX PX`: go-zero, redsync, redis-py, ...
    redisson, ///< Redisson's RLock, or with `lock_options::fencing` its RFencedLock
};

} // namespace holdfast
