#include "holdfast/http/http_request.hpp"

#include "holdfast/base/text.hpp"

#include <algorithm>

namespace holdfast::http {

namespace {

bool is_unreserved(char letter) noexcept {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') ||
           std::string_view{"-._~"}.find(letter) != std::string_view::npos;
}

/// A field of a form: a '+' is a blank.
std::optional<std::string> decode_field(std::string text) {
    std::replace(text.begin(), text.end(), '+', ' ');
    return base::percent_decode(text);
}

std::string_view without_blanks(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) { return {}; }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// False: the line is no header.
bool add_header(http_request& request, std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) { return false; }
    auto name = base::lower_case(std::string{line.substr(0, colon)});
    if (name.find_first_of(" \t") != std::string::npos) { return false; }
    request.headers.push_back(
        {std::move(name), std::string{without_blanks(line.substr(colon + 1))}});
    return true;
}

} // namespace

std::string_view http_request::header_value(std::string_view name) const noexcept {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [name](const header& each) { return each.name == name; });
    return found == headers.end() ? std::string_view{} : std::string_view{found->value};
}

std::size_t http_request::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::count_if(
        headers.begin(), headers.end(), [name](const header& each) { return each.name == name; }));
}

std::optional<http_request> parse_head(std::string_view head) {
    const auto line = head.substr(0, head.find("\r\n"));
    const auto first = line.find(' ');
    const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos || !line.substr(second + 1).starts_with("HTTP/1.")) {
        return std::nullopt;
    }
    http_request out;
    out.method = line.substr(0, first);
    const auto target = line.substr(first + 1, second - first - 1);
    const auto mark = target.find('?');
    out.path = target.substr(0, mark);
    if (mark != std::string_view::npos) { out.query = target.substr(mark + 1); }
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    while (!head.empty()) {
        const auto end = head.find("\r\n");
        if (!add_header(out, head.substr(0, end))) { return std::nullopt; }
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    }
    return out;
}

std::optional<std::string> form_value(std::string_view form, std::string_view name) {
    while (!form.empty()) {
        const auto end = form.find('&');
        const auto field = form.substr(0, end);
        const auto equals = field.find('=');
        if (field.substr(0, equals) == name) {
            if (equals == std::string_view::npos) { return std::string{}; }
            return decode_field(std::string{field.substr(equals + 1)});
        }
        form.remove_prefix(end == std::string_view::npos ? form.size() : end + 1);
    }
    return std::nullopt;
}

std::string percent_encode(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char letter : bytes) {
        if (is_unreserved(letter)) {
            out += letter;
            continue;
        }
        const auto byte = static_cast<unsigned char>(letter);
        out += '%';
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
    return out;
}

} // namespace holdfast::http
