#include "holdfast/engine/url.hpp"

#include "holdfast/engine/url_values.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::engine {

namespace {

bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// `part` names what is decoded, for the message.
std::string decode(std::string_view text, const char* part) {
    auto out = decode_part(text, part);
    if (out.find('\0') != std::string::npos) {
        refuse_url(std::string{part} + ": a NUL byte is not allowed");
    }
    return out;
}

std::string parse_scheme(std::string_view text) {
    if (text.empty()) { refuse_url("empty; write for example embedded: or memory:"); }
    const auto colon = text.find_first_of(":/?#");
    if (colon == std::string_view::npos || text[colon] != ':') {
        refuse_url("no scheme; it begins with for example embedded: or memory:");
    }
    const auto scheme = text.substr(0, colon);
    const auto allowed = [](char c) {
        return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    };
    if (scheme.empty() || !is_lower(scheme.front()) ||
        !std::all_of(scheme.begin(), scheme.end(), allowed)) {
        refuse_url("scheme: must be lower-case letters, digits, '+', '-' and '.', a letter first");
    }
    return std::string{scheme};
}

/// The key, if it is a plain word that may be quoted in a message.
std::string key_text(const std::string& key) {
    const auto plain = [](char c) {
        return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    };
    constexpr std::size_t longest = 64;
    if (key.size() > longest || !std::all_of(key.begin(), key.end(), plain)) { return "a key"; }
    return "'" + key + "'";
}

void parse_query(std::string_view text, url& into) {
    while (true) {
        const auto end = std::min(text.find('&'), text.size());
        const auto pair = text.substr(0, end);
        const auto equals = pair.find('=');
        auto key = decode(pair.substr(0, equals), "query");
        if (key.empty()) { refuse_url("query: a key is missing; write ?key=value&key=value"); }
        if (equals == std::string_view::npos) {
            refuse_url("query: " + key_text(key) + " has no value; write key=value");
        }
        const auto message = "query: " + key_text(key) + " is there twice";
        auto value = decode(pair.substr(equals + 1), "query");
        const auto found = into.query.find(key);
        if (key == "node") {
            into.nodes.push_back(std::move(value));
        } else if (key == "map" && found != into.query.end()) {
            found->second += ',' + value;
        } else if (!into.query.emplace(std::move(key), std::move(value)).second) {
            refuse_url(message);
        }
        if (end == text.size()) { return; }
        text.remove_prefix(end + 1);
    }
}

} // namespace

url url::parse(std::string_view text) {
    url out;
    // A blank or control character is a mistake, e.g. a line end from a file.
    if (std::any_of(text.begin(), text.end(), [](char c) {
            return c == ' ' || c == '\x7f' || (static_cast<unsigned char>(c) < 0x20U);
        })) {
        refuse_url("a blank or control character is not allowed; write a blank as %20");
    }
    out.scheme = parse_scheme(text);
    text.remove_prefix(out.scheme.size() + 1);
    if (text.find('#') != std::string_view::npos) {
        refuse_url("'#' is not allowed; write it as %23");
    }
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        const auto end = std::min(text.find_first_of("/?"), text.size());
        out.authority = std::string{text.substr(0, end)};
        text.remove_prefix(end);
    }
    const auto mark = std::min(text.find('?'), text.size());
    out.path = decode(text.substr(0, mark), "path");
    if (mark < text.size()) { parse_query(text.substr(mark + 1), out); }
    return out;
}

void url::allow_only(const std::vector<std::string_view>& known) const {
    const auto require_known = [&](const std::string& key) {
        if (std::find(known.begin(), known.end(), key) != known.end()) { return; }
        std::string list;
        for (const auto each : known) { list += (list.empty() ? "" : ", ") + std::string{each}; }
        refuse_url("query: " + key_text(key) + " is not known to " + scheme + ": " +
                   (list.empty() ? "it has no keys" : "known keys: " + list));
    };
    for (const auto& [key, value] : query) { require_known(key); }
    if (!nodes.empty()) { require_known("node"); }
}

std::string without_user(std::string_view text) {
    return std::string{text.substr(text.rfind('@') + 1)};
}

} // namespace holdfast::engine
