#include "cli/command_words.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>

namespace holdfast::cli {

namespace {

enum class word_kind { not_option, flag, option_with_value, unknown_option };

word_kind classify(const CLI::App& run, const std::string& word) {
    if (word.size() < 2 || word[0] != '-') { return word_kind::not_option; }
    const auto find = [&](const std::string& name) {
        const auto* const option = run.get_option_no_throw(name);
        if (option == nullptr) { return word_kind::unknown_option; }
        return option->get_items_expected_max() > 0 ? word_kind::option_with_value
                                                    : word_kind::flag;
    };
    if (word[1] == '-') {
        return word.find('=') == std::string::npos ? find(word) : word_kind::flag;
    }
    for (std::size_t at = 1; at < word.size(); ++at) { // -nq, -w5s, -nw 5s
        const auto kind = find(std::string{"-"} + word[at]);
        if (kind == word_kind::option_with_value && at + 1 < word.size()) {
            return word_kind::flag; // the value is in the same word
        }
        if (kind != word_kind::flag) { return kind; }
    }
    return word_kind::flag;
}

/// Whether the word is `-c`, alone or with other letters: no command follows the names then.
bool gives_shell_line(const CLI::App& run, const std::string& word) {
    if (word.starts_with("--")) { return word == "--command" || word.starts_with("--command="); }
    for (std::size_t at = 1; at < word.size() && word[0] == '-'; ++at) {
        if (word[at] == 'c') { return true; }
        if (classify(run, std::string{"-"} + word[at]) != word_kind::flag) { return false; }
    }
    return false;
}

} // namespace

command_split split_command_line(const CLI::App& app, const std::vector<std::string>& words) {
    const auto size = static_cast<std::ptrdiff_t>(words.size());
    const auto dashes = std::find(words.begin(), words.end(), "--") - words.begin();
    if (dashes < size) { return {dashes, dashes + 1}; }
    if (words.empty() || words[0] != "run") { return {size, size}; }
    const auto& run = *app.get_subcommand("run");
    for (std::ptrdiff_t at = 1; at < size; ++at) {
        const auto& word = words[static_cast<std::size_t>(at)];
        if (gives_shell_line(run, word)) { return {size, size}; }
        switch (classify(run, word)) {
        case word_kind::not_option: return {at + 1, at + 1};
        case word_kind::flag: break;
        case word_kind::option_with_value: ++at; break;
        case word_kind::unknown_option: return {size, size}; // CLI11 rejects it
        }
    }
    return {size, size};
}

} // namespace holdfast::cli
