#pragma once
// The result of a command that `holdfast once` has run, as the flag keeps it.

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct once_result {
    int code = 0;
    bool is_truncated = false;
    std::string_view output{}; ///< of the text that was parsed
};

/// The exit code, c(omplete) or t(runcated), a newline, the output. Empty: another program has set
/// the flag.
[[nodiscard]] std::optional<once_result> parse_once_result(std::string_view text);
[[nodiscard]] std::string once_result_text(int code, bool is_truncated, const std::string& output);

} // namespace holdfast::cli
