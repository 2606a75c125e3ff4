#pragma once
// The options of `run` and `acquire` that say how to hold the lock.

#include "cli/run_settings.hpp"

#include <optional>
#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's name
namespace CLI {
class App;
} // namespace CLI

namespace holdfast::cli {

struct hold_flags {
    std::string lease;
    std::string min_hold;
    std::string max_hold;
    std::string note;
    std::string wait;
    bool no_wait = false;
    bool shared = false;
    bool exclusive = false;
    std::optional<unsigned> permits;
    std::optional<unsigned> limit;
    int busy_code = 75;
};

void add_hold_flags(CLI::App& subcommand, hold_flags& flags);

/// Parses the flags and HOLDFAST_LEASE into the settings. Throws error(invalid_option) that names
/// the option.
void apply(const hold_flags& flags, run_settings& settings);

} // namespace holdfast::cli
