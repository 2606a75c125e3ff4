#pragma once
// What `holdfast acquire` prints: safe to be read by a shell, whatever bytes the name has.

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::cli {

struct grant_text {
    std::string name;
    std::string owner;
    std::string token; ///< digits; empty: it has none
    std::chrono::milliseconds valid_for{0};
};

/// In single quotes, as every POSIX shell reads them.
[[nodiscard]] std::string shell_quote(std::string_view text);
[[nodiscard]] std::string as_shell(const grant_text& grant);
/// Bytes that are not valid UTF-8 become U+FFFD: JSON has no other way.
[[nodiscard]] std::string json_quote(std::string_view text);
[[nodiscard]] std::string as_json(const grant_text& grant);

/// `eval "$(holdfast acquire ...)" || exit`: eval of nothing is a success, so that a failure has to
/// be said in the shell's words, too.
void fail_for_eval(int code);

} // namespace holdfast::cli
