#pragma once
// The time of a hand-off between two processes: from the release in one to the return of acquire()
// in the other.

#include "measure.hpp"

#include <string>

namespace holdfast::bench {

/// Two processes hand the lock to each other `times` times. In microseconds.
[[nodiscard]] spread hand_off(const std::string& url, int times);

/// The same with a byte through a pipe instead of a lock: the cost of waking a process.
[[nodiscard]] spread pipe_hand_off(int times);

} // namespace holdfast::bench
