#pragma once
// Words to the person at the terminal: to stderr, one line at a time, never in the child's way.

#include "cli/run_settings.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// `holdfast: text` on stderr in one write, so that lines of several processes do not mix.
void tell(std::string_view text) noexcept;
/// Unless -q.
void tell(const run_settings& settings, std::string_view text) noexcept;

/// A lock's name, which may hold any bytes, in quotes.
[[nodiscard]] std::string show_name(std::string_view name);
/// What somebody else has written, all of it, with nothing in it that a terminal would obey.
[[nodiscard]] std::string show_text(std::string_view text);
/// That a lock could not be released, and why.
[[nodiscard]] std::string not_released(std::string_view name, const std::exception& why);

} // namespace holdfast::cli
