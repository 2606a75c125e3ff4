#pragma once
// Which engine: --url, --url-file, HOLDFAST_URL, or the default; and how long to try it.

#include <holdfast/client.hpp>

#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): not ours
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// The engine that locks live in.
struct place {
    std::string url; ///< empty: the default engine
    client_options options{};

    [[nodiscard]] client open() const { return client{url.empty() ? "embedded:" : url, options}; }
};

struct place_options {
    std::string url;
    std::string url_file;
    std::string connect_wait;
};

void add_place(CLI::App& to, place_options& where);

/// Throws error(invalid_option) if the URL cannot be read, or if no other process could see such
/// locks. Warns of a password on the command line, where every user of the machine can see it.
[[nodiscard]] place place_of(const place_options& where);

} // namespace holdfast::cli
