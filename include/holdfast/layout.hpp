#pragma once

#include <cstdint>

namespace holdfast {

/// How a lock is written on Redis; other engines have no choice and know only `native`. All users
/// of a lock need the same one: locks of different layouts do not see each other.
///
/// `plain` and `redisson` are there to share a lock with services that do not use Holdfast, in both
/// directions. They carry only mutex and recursive_mutex, without FIFO, hand-off, min_hold and
/// note: asking for one of these is errc::unsupported. docs/layouts.md has the whole table.
enum class layout : std::uint8_t {
    native,   ///< Holdfast's own: everything, and the only one with a queue
    plain,    ///< a string under the name itself, `SET NX PX`: go-zero, redsync, redis-py, ...
    redisson, ///< Redisson's RLock, or with `hold_options::fencing` its RFencedLock
};

} // namespace holdfast
