#pragma once
// What `holdfast` says by its exit code. A child's own code comes back as it is.

namespace holdfast::cli::exit_code {

inline constexpr int ok = 0;
inline constexpr int failed = 1;       ///< release or renew: it was not held any more
inline constexpr int usage = 64;       ///< the command line is wrong
inline constexpr int unavailable = 69; ///< the engine cannot be reached or used
inline constexpr int internal = 70;    ///< no output could be written; or a fault of Holdfast's own
inline constexpr int busy = 75;        ///< somebody else holds the lock (-E changes it)
inline constexpr int lost = 76;        ///< the lock was lost, and a command was ended
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
inline constexpr int signalled = 128; ///< plus the signal's number

} // namespace holdfast::cli::exit_code
