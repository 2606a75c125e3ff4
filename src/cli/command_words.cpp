#include "cli/command_words.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>

namespace holdfast::cli {

namespace {

enum class kind { no_option, alone, with_next_word, unknown };

kind kind_of(const CLI::App& run, const std::string& word) {
    if (word.size() < 2 || word[0] != '-') { return kind::no_option; }
    const auto value_of = [&](const std::string& name) {
        const auto* const option = run.get_option_no_throw(name);
        if (option == nullptr) { return kind::unknown; }
        return option->get_items_expected_max() > 0 ? kind::with_next_word : kind::alone;
    };
    if (word[1] == '-') {
        return word.find('=') == std::string::npos ? value_of(word) : kind::alone;
    }
    for (std::size_t at = 1; at < word.size(); ++at) { // -nq, -w5s, -nw 5s
        const auto letter = value_of(std::string{"-"} + word[at]);
        if (letter == kind::with_next_word && at + 1 < word.size()) { return kind::alone; }
        if (letter != kind::alone) { return letter; }
    }
    return kind::alone;
}

} // namespace

command_place command_begins(const CLI::App& run, const std::vector<std::string>& words) {
    const auto size = static_cast<std::ptrdiff_t>(words.size());
    const auto dashes = std::find(words.begin(), words.end(), "--") - words.begin();
    if (dashes < size) { return {dashes, dashes + 1}; }
    if (words.empty() || words[0] != run.get_name()) { return {size, size}; }
    for (std::ptrdiff_t at = 1; at < size; ++at) {
        switch (kind_of(run, words[static_cast<std::size_t>(at)])) {
        case kind::no_option: return {at + 1, at + 1};
        case kind::alone: break;
        case kind::with_next_word: ++at; break;
        case kind::unknown: return {size, size}; // to be complained of
        }
    }
    return {size, size};
}

} // namespace holdfast::cli
