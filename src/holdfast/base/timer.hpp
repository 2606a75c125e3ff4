#pragma once
// Timers of the kernel.

#include "holdfast/base/clock.hpp"
#include "holdfast/base/fd.hpp"

namespace holdfast::base {

/// A descriptor that becomes readable at the instant set by `arm_timer`; empty, with errno, if
/// there is none left.
[[nodiscard]] fd make_timer() noexcept;

/// False: the timer is as it was.
bool arm_timer(const fd& timer, instant when) noexcept;

} // namespace holdfast::base
