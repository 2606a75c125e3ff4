#pragma once
// Parses a history file.

#include "history/event.hpp"

#include <filesystem>
#include <istream>
#include <vector>

namespace holdfast::history {

struct parse_error {
    std::size_t line{}; ///< counted from 1
    std::string message{};
};

struct parsed {
    std::vector<event> events{};
    std::vector<parse_error> errors{};
    /// Pieces of lines that writers left when they were killed: at the end of the file, or before
    /// the next writer's line. Tolerated, but there should be no more of them than kills.
    std::size_t torn{};
};

/// Reads to the end: an invalid line becomes an error, not an event.
[[nodiscard]] parsed parse(std::istream& in);

/// Throws std::system_error if the file cannot be opened or read.
[[nodiscard]] parsed parse_file(const std::filesystem::path& file);

} // namespace holdfast::history
