#pragma once
// The range of tokens.

#include <cstdint>

namespace holdfast::engine::admission {

/// Tokens stay below this, so that no engine, script or JSON reader that keeps numbers as doubles
/// can round one. In microseconds since 1970 it is the year 2255.
inline constexpr std::uint64_t token_end = std::uint64_t{1} << 53U;

/// How far a proposed token may be from the clock where there is no record of the name.
inline constexpr std::uint64_t proposal_window_us = 30'000'000;

} // namespace holdfast::engine::admission
