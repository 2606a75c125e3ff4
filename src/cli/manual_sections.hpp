#pragma once
// The parts of the man page that no --help has.

#include <string>
#include <vector>

namespace holdfast::cli {

struct manual_entry {
    std::string term; ///< empty: a paragraph
    std::string description;
};

struct manual_section {
    std::string title;
    std::vector<manual_entry> entries;
};

/// About URLs and servers.
[[nodiscard]] std::vector<manual_section> engine_sections();
/// About JSON and the log.
[[nodiscard]] std::vector<manual_section> json_sections();

/// All, in the order of the page.
[[nodiscard]] std::vector<manual_section> manual_sections();

} // namespace holdfast::cli
