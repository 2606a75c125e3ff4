#pragma once
// Which engine to use (--url, --url-file, HOLDFAST_URL, or the default), and how long to try it.

#include <holdfast/client.hpp>

#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's name
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

/// Where the locks are, and how to connect.
struct engine_address {
    std::string url; ///< empty: the default engine
    client_options options{};

    /// The URL without its user, password and options, for people.
    [[nodiscard]] std::string label() const;
    [[nodiscard]] client open() const { return client{url.empty() ? "embedded:" : url, options}; }
};

struct engine_flags {
    std::string url;
    std::string url_file;
    std::string connect_wait;
};

void add_engine_flags(CLI::App& subcommand, engine_flags& flags);

/// Throws error(invalid_option) if the URL cannot be read, or if no other process could see such
/// locks. Warns of a password on the command line, where every user of the machine can see it.
[[nodiscard]] engine_address parse_engine_flags(const engine_flags& flags);

} // namespace holdfast::cli
