#pragma once
// How long a lock is with nobody between two processes: from the release in one to the return of
// acquire in the other.

#include "measure.hpp"

#include <string>

namespace holdfast::bench {

/// Two processes pass the lock to and fro `times` times; microseconds.
[[nodiscard]] spread hand_off(const std::string& url, int times);

/// The same with a byte through a pipe instead of a lock: what waking a process costs here.
[[nodiscard]] spread pipe_hand_off(int times);

} // namespace holdfast::bench
