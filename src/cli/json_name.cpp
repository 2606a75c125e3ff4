#include "cli/json_name.hpp"

#include "cli/script_output.hpp"
#include "holdfast/base/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace holdfast::cli {

namespace {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
        std::uint32_t group = 0;
        for (std::size_t at = 0; at < 3; ++at) {
            group =
                (group << 8U) | (at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U);
        }
        for (std::size_t at = 0; at < 4; ++at) {
            out += at <= bytes.size() ? digits[(group >> (18U - 6U * at)) & 63U] : '=';
        }
    }
    return out;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto length = base::first_letter(text).length;
        if (length == 0) { return false; }
        text.remove_prefix(length);
    }
    return true;
}

} // namespace

std::string base64_unless_utf8(std::string_view name) {
    return is_utf8(name) ? std::string{} : base64(name);
}

std::string json_name(std::string_view name) {
    const auto encoded = base64_unless_utf8(name);
    return "\"name\": " + json_quote(name) +
           (encoded.empty() ? "" : ", \"name_base64\": \"" + encoded + "\"");
}

} // namespace holdfast::cli
