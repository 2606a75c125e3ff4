#pragma once
// Which engine to use (--url, --url-file, HOLDFAST_URL, or the default), and how long to try it.

#include <holdfast/client.hpp>
#include <holdfast/error.hpp>

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
    std::string origin{}; ///< names it in messages: HOLDFAST_URL, --url-file FILE; empty: --url

    /// The URL without its user, password and options, for people.
    [[nodiscard]] std::string label() const;
    /// Throws error(invalid_url) that names the origin.
    [[nodiscard]] client open() const;
};

struct engine_flags {
    std::string url;
    std::string url_file;
    std::string connect_wait;
};

/// Throws error(invalid_url) in the words of the origin if `failure` is that of a URL.
void throw_if_url(const error& failure, const engine_address& address);

void add_engine_flags(CLI::App& subcommand, engine_flags& flags);

/// Throws error(invalid_option) if the URL cannot be read, or if no other process could see such
/// locks. Warns of a password on the command line, where every user of the machine can see it.
[[nodiscard]] engine_address parse_engine_flags(const engine_flags& flags);

} // namespace holdfast::cli
