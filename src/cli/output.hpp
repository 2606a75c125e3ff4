#pragma once
// Writes to stdout; output that cannot be written is a failure.

#include <string_view>

namespace holdfast::cli {

/// Opens placeholders on which all I/O fails for stdin, stdout and stderr if they are closed;
/// otherwise the next file that we open would take their place. Commands that we start still find
/// them closed. False: the system has no descriptor left.
[[nodiscard]] bool fill_closed_streams() noexcept;

/// Whether stdout can be written to at all.
[[nodiscard]] bool stdout_is_open() noexcept;

/// Writes all of it to stdout and flushes. False: errno says why not.
[[nodiscard]] bool print(std::string_view text) noexcept;

/// Flushes stdout at the end of a command and returns its exit code: `code`, or a failure if some
/// output could not be written. A full disk may show only now.
[[nodiscard]] int flush_output(int code);

} // namespace holdfast::cli
