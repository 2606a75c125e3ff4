#include "cli/script_output.hpp"

#include "cli/output.hpp"

#include <array>
#include <cstddef>
#include <unistd.h>

namespace holdfast::cli {

std::string shell_quote(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        if (letter == '\'') {
            out += "'\\''";
        } else {
            out += letter;
        }
    }
    return out + "'";
}

std::string as_shell(const grant_text& grant) {
    return "HOLDFAST_NAME=" + shell_quote(grant.name) +
           "\nHOLDFAST_OWNER=" + shell_quote(grant.owner) + "\nHOLDFAST_TOKEN=" + grant.token +
           "\nexport HOLDFAST_NAME HOLDFAST_OWNER HOLDFAST_TOKEN\n";
}

namespace {

/// The length of the UTF-8 sequence at the front; 0: invalid.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    const auto length = first < 0x80 ? 1U : first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : 2U;
    if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) { return 0; }
    if (text.size() < length) { return 0; }
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xc0U) != 0x80U) { return 0; }
    }
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) {
        return 0;
    }
    return length;
}

} // namespace

std::string json_quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    while (!text.empty()) {
        const auto length = utf8_length(text);
        const auto byte = static_cast<unsigned char>(text[0]);
        if (length == 0) {
            out += "\xef\xbf\xbd";
            text.remove_prefix(1);
            continue;
        }
        if (byte < 0x20) {
            out += "\\u00";
            out += hex[byte >> 4U];
            out += hex[byte & 0x0fU];
        } else {
            if (byte == '"' || byte == '\\') { out += '\\'; }
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out + "\"";
}

std::string as_json(const grant_text& grant) {
    return "{\"name\": " + json_quote(grant.name) + ", \"owner\": " + json_quote(grant.owner) +
           ", \"token\": " + (grant.token.empty() ? "null" : grant.token) +
           ", \"valid_for_ms\": " + std::to_string(grant.valid_for.count()) + "}\n";
}

void print_eval_failure(int code) {
    if (::isatty(STDOUT_FILENO) != 0) { return; }
    [[maybe_unused]] const bool printed = print("(exit " + std::to_string(code) + ")\n");
}

} // namespace holdfast::cli
