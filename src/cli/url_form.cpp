#include "cli/url_form.hpp"

#include "cli/messages.hpp"
#include "cli/nearest_word.hpp"
#include "holdfast/base/text.hpp"

#include <holdfast/error.hpp>

#include <algorithm>
#include <vector>

namespace holdfast::cli {

namespace {

constexpr const char* known = "embedded:, redis://, rediss://, redis+unix://, redis+sentinel://, "
                              "redis+cluster:// or redlock://";

const std::vector<std::string>& schemes() {
    static const std::vector<std::string> all{
        "embedded",        "redis",         "rediss",         "redis+unix", "redis+sentinel",
        "rediss+sentinel", "redis+cluster", "rediss+cluster", "redlock",    "redlocks"};
    return all;
}

bool is_scheme(const std::string& word) {
    return std::find(schemes().begin(), schemes().end(), word) != schemes().end();
}

[[noreturn]] void refuse(const std::string& why, const std::string& meant) {
    throw error{errc::invalid_url, "URL: " + why + "; write " + meant};
}

/// What follows the scheme, for a message.
std::string address_text(std::string rest, const char* otherwise) {
    rest.resize(std::min({rest.size(), rest.find('?'), rest.find('#')}));
    const auto at = rest.rfind('@');
    if (at != std::string::npos) { return "user:password@" + escape_text(rest.substr(at + 1)); }
    return rest.empty() ? otherwise : escape_text(rest);
}

/// The scheme that a word is, or most likely is; empty: none.
std::string meant_scheme(const std::string& word) {
    const auto small = base::lower_case(word);
    return is_scheme(small) ? small : nearest_word(small, schemes());
}

std::string with_address(const std::string& scheme, const std::string& rest) {
    if (scheme == "embedded") {
        return rest.starts_with('/') ? "embedded:" + escape_text(rest) : "embedded:";
    }
    const auto first = rest.find_first_not_of('/');
    return scheme + "://" +
           address_text(first == std::string::npos ? std::string{} : rest.substr(first), "HOST");
}

} // namespace

void check_url_form(const std::string& url) {
    if (url.starts_with('/')) { refuse("it has no scheme", "embedded:" + escape_text(url)); }
    const auto end = url.find_first_of(":/?#@");
    const auto word = url.substr(0, end);
    const auto rest = end == std::string::npos ? std::string{} : url.substr(end);
    const bool has_colon = rest.starts_with(':');
    const bool is_engine = is_scheme(word) || word == "quorum" || word == "memory";
    if (has_colon && is_engine) {
        const bool has_host = rest.starts_with("://") || word == "embedded" || word == "quorum";
        if (has_host || word == "memory") { return; }
        refuse("'//' is missing after " + word + ":", with_address(word, rest.substr(1)));
    }
    const auto no_engine = "there is no engine '" + escape_text(word) + ":'";
    if (const auto scheme = meant_scheme(word); !scheme.empty()) {
        const auto why =
            has_colon ? no_engine : std::string{"the colon is missing after the scheme"};
        refuse(why, with_address(scheme, has_colon ? rest.substr(1) : rest));
    }
    if (rest.starts_with("://")) { refuse(no_engine, std::string{"one of "} + known); }
    refuse("it has no scheme", "redis://" + address_text(url, "HOST"));
}

std::string engine_scheme(std::string_view text) {
    const std::string word{text.substr(0, text.find(':'))};
    const auto rest = text.substr(word.size());
    if (word == "embedded" || word == "memory") {
        const bool is_url = rest == ":" || rest.starts_with(":/");
        return is_url ? word + ":" : std::string{};
    }
    return is_scheme(word) && rest.starts_with("://") ? word + "://" : std::string{};
}

std::string hint_at_url(std::string_view name) {
    return engine_scheme(name).empty() ? "" : "; the URL of an engine belongs behind --url";
}

std::string refuse_url(const std::string& text) {
    const auto scheme = engine_scheme(text);
    if (scheme.empty()) { return {}; }
    return "it is the URL of an engine (" + scheme +
           "); write --url before it. Of a lock whose "
           "name begins like that, write the colon as \\:";
}

} // namespace holdfast::cli
