#pragma once
// What `holdfast acquire` prints: safe for a shell to evaluate, whatever bytes the name has.

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct grant_text {
    std::string name;
    std::string owner;
    std::string token; ///< digits; empty: the layout has no tokens
    std::chrono::milliseconds valid_for{0};
};

/// In single quotes, for every POSIX shell.
[[nodiscard]] std::string shell_quote(std::string_view text);
[[nodiscard]] std::string as_shell(const grant_text& grant);
/// Bytes that are not valid UTF-8 become U+FFFD: JSON cannot represent them.
[[nodiscard]] std::string json_quote(std::string_view text);
[[nodiscard]] std::string as_json(const grant_text& grant);

/// Prints `(exit code)` for `eval "$(holdfast acquire ...)" || exit`: without output, eval would
/// succeed.
void print_eval_failure(int code);

} // namespace holdfast::cli
