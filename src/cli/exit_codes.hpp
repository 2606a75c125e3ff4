#pragma once
// The exit codes of `holdfast`. The exit code of a command that `run` started is returned as it is.

namespace holdfast::cli::exit_code {

inline constexpr int ok = 0;
inline constexpr int failed = 1;         ///< release, renew: the lock was not held any more
inline constexpr int doctor_warning = 1; ///< doctor: the worst finding is a warning
inline constexpr int doctor_danger = 2;  ///< doctor: the worst finding is a danger
inline constexpr int usage = 64;         ///< the command line is wrong
inline constexpr int unavailable = 69;   ///< the engine cannot be reached or used
inline constexpr int internal = 70;      ///< the output could not be written, or an internal error
inline constexpr int busy = 75;          ///< someone else holds the lock (-E changes this code)
inline constexpr int lost = 76;          ///< the lock was lost, and the command was ended
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
inline constexpr int signalled = 128; ///< plus the signal number

} // namespace holdfast::cli::exit_code
