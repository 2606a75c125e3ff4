#pragma once
// The word that a mistyped one most likely stands for.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// The word with the fewest differing letters; a swap of two neighbours counts as one. Empty if
/// each differs in more than a third of its letters, but two at least.
[[nodiscard]] std::string nearest_word(std::string_view typed,
                                       const std::vector<std::string>& words);

} // namespace holdfast::cli
