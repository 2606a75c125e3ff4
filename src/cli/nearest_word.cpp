#include "cli/nearest_word.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::cli {

namespace {

/// Letters to insert, remove, replace or swap with their neighbour.
std::size_t distance(std::string_view left, std::string_view right) {
    const auto width = right.size() + 1;
    std::vector<std::size_t> table((left.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return table[i * width + j];
    };
    for (std::size_t i = 0; i <= left.size(); ++i) { at(i, 0) = i; }
    for (std::size_t j = 0; j <= right.size(); ++j) { at(0, j) = j; }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const bool same = left[i - 1] == right[j - 1];
            at(i, j) =
                std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0U : 1U)});
            const bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) { at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1); }
        }
    }
    return at(left.size(), right.size());
}

} // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& words) {
    constexpr std::size_t longest = 64; // longer input is no mistyped word
    if (typed.size() > longest) { return {}; }
    std::string out;
    std::size_t least = longest;
    for (const auto& word : words) {
        const auto differs = distance(typed, word);
        const auto most = std::max<std::size_t>(2, word.size() / 3);
        if (differs > most || differs >= std::max(typed.size(), word.size()) || differs >= least) {
            continue;
        }
        least = differs;
        out = word;
    }
    return out;
}

} // namespace holdfast::cli
