#pragma once
// Messages to the user on stderr, one line at a time; stdout belongs to the child.

#include "cli/log.hpp"
#include "cli/printable.hpp"
#include "cli/run_settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// `holdfast: text` on stderr, or as --log says, in one write, so that lines of several processes
/// do not mix.
void print_message(std::string_view text, log_level level = log_level::error,
                   const log_fields& fields = {}) noexcept;
/// The same, but nothing with -q.
void print_message(const run_settings& settings, std::string_view text,
                   log_level level = log_level::warning, const log_fields& fields = {}) noexcept;

/// A lock's name, which may contain any bytes, in double quotes; or as `$'...'`, see name_text().
[[nodiscard]] std::string quote_name(std::string_view name);
/// Those of a lock, separated by commas: in quotes, and as they are.
[[nodiscard]] std::string quote_names(const std::vector<std::string>& names);
[[nodiscard]] std::string join_names(const std::vector<std::string>& names);
/// `"name" is held by someone else; ...`, or the holders as describe_holders() has them.
[[nodiscard]] std::string busy_message(std::string_view name, std::string_view holders);

} // namespace holdfast::cli
