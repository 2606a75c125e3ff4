#pragma once
// Which engine: --url, --url-file, HOLDFAST_URL, or the default.

#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): not ours
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

struct place_options {
    std::string url;
    std::string url_file;
};

void add_place(CLI::App& to, place_options& where);

/// The URL; empty for the default engine. Throws error(invalid_option) if it cannot be read, or
/// if no other process could see such locks. Warns of a password on the command line, where every
/// user of the machine can see it.
[[nodiscard]] std::string url_of(const place_options& where);

} // namespace holdfast::cli
