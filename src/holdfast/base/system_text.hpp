#pragma once
// The system's text for an errno, without a capital letter, for use inside a sentence.

#include <cctype>
#include <string>
#include <system_error>

namespace holdfast::base {

/// `connection refused`, `no such file or directory`.
[[nodiscard]] inline std::string system_text(int error) {
    std::string text = std::generic_category().message(error);
    if (!text.empty()) {
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    }
    return text;
}

/// `cannot create an eventfd (too many open files): raise the limit ...`
[[nodiscard]] inline std::string descriptor_failure(const char* kind, int error) {
    return std::string{"cannot create "} + kind + " (" + system_text(error) +
           "): raise the limit on open files (ulimit -n)";
}

} // namespace holdfast::base
