#pragma once
// What a requested stop does to a call that waits.

#include <cstdint>

namespace holdfast::api {

/// The forms without a time-out, as lock() and acquire(), fail; the others return empty.
enum class stop_policy : std::uint8_t { fails, gives_up };

} // namespace holdfast::api
