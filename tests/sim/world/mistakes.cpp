#include "sim/world/mistakes.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace holdfast::sim {

namespace {

bool is_script(std::string_view text, std::string_view first_sentence) {
    return text.substr(0, text.find("KEYS")).find(first_sentence) != std::string_view::npos;
}

bool is_grace_variant_of_beat(std::string_view text) {
    return is_script(text, "Renews holds") &&
           text.find("may_reclaim_in_grace") != std::string_view::npos;
}

/// Replaces each match; there must be one.
void replace(std::string& text, const char* pattern, const char* replacement) {
    const std::regex expression{pattern};
    if (!std::regex_search(text, expression)) {
        throw std::runtime_error{std::string{"a script has changed, so that a mistake can no "
                                             "longer be planted: nothing matches "} +
                                 pattern};
    }
    text = std::regex_replace(text, expression, replacement);
}

/// The not-after counts for nothing: it is always in the future, and later than all others.
void drop_not_after(std::string& text) {
    replace(text, R"(local key, ask = KEYS\[1\], ARGV\[1\])",
            "local key, ask = KEYS[1], string.format('%016d', now + 1000000)"
            " .. string.sub(ARGV[1], 17)");
}

void accept_any_token(std::string& text) {
    replace(text, R"(if proposed <= highest then return [^\n]* end)", "");
}

/// The node says that it has raised the token, and has not.
void keep_first_token(std::string& text) {
    replace(text, R"(held\.token, S\.high = proposed, proposed)", "");
    replace(text, R"(return held\.token\n)", "return math.max(held.token, proposed)\n");
}

void vote_at_once(std::string& text) { replace(text, R"(is_new and 0 or ARGV\[3\])", "0"); }

void let_renewals_shorten(std::string& text) {
    replace(text, R"(if order <= sub\(rec, [0-9]+, [0-9]+\) then return true end)", "");
    replace(text, R"(if order > held\.order or order == )", "if true or order == ");
}

void identify_by_run(std::string& text) {
    replace(text, R"('INFO', 'replication'\), 'master_replid:)", "'INFO', 'server'), 'run_id:");
}

void begin_grace_with_claim(std::string& text) {
    replace(text, R"(write\('c', 0\))", "write('c', ARGV[2])");
    replace(text, R"(write\('g', ARGV\[2\]\))", "write('g', string.sub(run, 26, 41) - now)");
}

void make_any_hold_again(std::string& text) {
    replace(text, R"(if token < S\.high then return false end\n    if token > S\.high then)",
            "if true then");
}

} // namespace

mistake_scope scope_of(mistake mistake) noexcept {
    for (const auto& entry : all_mistakes) {
        if (entry.value == mistake) { return entry.scope; }
    }
    return mistake_scope::any;
}

std::string_view name_of(mistake mistake) noexcept {
    for (const auto& entry : all_mistakes) {
        if (entry.value == mistake) { return entry.name; }
    }
    return "none";
}

std::optional<mistake> mistake_named(std::string_view name) noexcept {
    if (name == "none") { return mistake::none; }
    for (const auto& entry : all_mistakes) {
        if (entry.name == name) { return entry.value; }
    }
    return std::nullopt;
}

std::string plant(mistake mistake, std::string_view text) {
    std::string out{text};
    if (is_script(text, "Asks for a hold")) {
        if (mistake == mistake::no_not_after) { drop_not_after(out); }
        if (mistake == mistake::unchecked_tokens) { accept_any_token(out); }
        if (mistake == mistake::token_not_raised) { keep_first_token(out); }
    }
    if (mistake == mistake::no_rejoin_delay && is_script(text, "Makes this server a node")) {
        vote_at_once(out);
    }
    if (mistake == mistake::shortening_renewals && is_script(text, "Renews holds")) {
        let_renewals_shorten(out);
    }
    if (is_script(text, "Says which incarnation")) {
        if (mistake == mistake::run_id_as_identity) { identify_by_run(out); }
        if (mistake == mistake::grace_from_claim) { begin_grace_with_claim(out); }
    }
    if (mistake == mistake::no_token_check && is_grace_variant_of_beat(text)) {
        make_any_hold_again(out);
    }
    return out;
}

} // namespace holdfast::sim
