#pragma once
// stdout of the command: what could not be written is a failure, and not silence.

#include <string_view>

namespace holdfast::cli {

/// Puts descriptors that fail into the places of stdin, stdout and stderr if they are closed, since
/// the next file that we open would take the place otherwise. Commands that we start find them
/// closed all the same. False: there is no descriptor to be had.
[[nodiscard]] bool fill_closed_streams() noexcept;

/// Whether anything at all can be written to stdout.
[[nodiscard]] bool stdout_is_open() noexcept;

/// Writes all of it to stdout, now. False: errno says why not.
[[nodiscard]] bool print(std::string_view text) noexcept;

/// The exit code of a command that is at its end with `code`: a failure if some of what it printed
/// could not be written, which a full disk may show only now.
[[nodiscard]] int with_output_written(int code);

} // namespace holdfast::cli
