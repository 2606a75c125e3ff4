#include "cli/script_output.hpp"

#include "cli/json_name.hpp"
#include "cli/output.hpp"
#include "holdfast/base/utf8.hpp"

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

std::string json_quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    while (!text.empty()) {
        const auto length = base::first_letter(text).length;
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
    return "{" + json_name(grant.name) + ", \"owner\": " + json_quote(grant.owner) +
           ", \"token\": " + (grant.token.empty() ? "null" : grant.token) +
           ", \"valid_for_ms\": " + std::to_string(grant.valid_for.count()) + "}\n";
}

void print_eval_failure(int code) {
    if (::isatty(STDOUT_FILENO) != 0) { return; }
    [[maybe_unused]] const bool printed = print("(exit " + std::to_string(code) + ")\n");
}

} // namespace holdfast::cli
