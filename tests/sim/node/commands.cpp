#include "sim/node/commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <unordered_map>

namespace holdfast::sim {

namespace {

using table = std::unordered_map<std::string_view, command_entry>;

table make_table() {
    table out;
    for (const auto group : {string_commands(), hash_commands(), zset_commands()}) {
        for (const auto& entry : group) { out.emplace(entry.name, entry); }
    }
    return out;
}

char upper(char letter) noexcept {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

const command_entry* find_command(std::string_view name) {
    static const table all = make_table();
    if (const auto found = all.find(name); found != all.end()) { return &found->second; }
    std::string in_capitals{name};
    std::transform(name.begin(), name.end(), in_capitals.begin(), upper);
    const auto found = all.find(in_capitals);
    return found == all.end() ? nullptr : &found->second;
}

} // namespace

bool run_command(command_host& host, word_list words, reply_sink& out) {
    const auto* const command = find_command(words.front());
    if (command == nullptr) { return false; }
    if (words.size() < command->least_words) {
        out.error("ERR wrong number of arguments");
    } else {
        command->function(host, words, out);
    }
    return true;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stop != end) { return std::nullopt; }
    return value;
}

std::optional<double> to_score(std::string_view text) {
    if (text == "-inf") { return -std::numeric_limits<double>::infinity(); }
    if (text == "inf" || text == "+inf") { return std::numeric_limits<double>::infinity(); }
    double value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stop != end) { return std::nullopt; }
    return value;
}

std::string score_text(double score) {
    constexpr double exact = 4503599627370496; // 2^52
    if (std::abs(score) < exact && score == std::trunc(score)) {
        return std::to_string(static_cast<std::int64_t>(score));
    }
    std::array<char, 40> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.17g", score);
    return {buffer.data(), static_cast<std::size_t>(length)};
}

bool is_option(std::string_view word, std::string_view option) {
    return std::equal(word.begin(), word.end(), option.begin(), option.end(),
                      [](char left, char right) { return upper(left) == right; });
}

} // namespace holdfast::sim
