#pragma once
// The options that say what is wanted of a lock, shared by `run` and `acquire`.

#include "cli/run_settings.hpp"

#include <optional>
#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): not ours
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

void add_hold_flags(CLI::App& to, hold_flags& flags);

/// Throws error(invalid_option) that names the option.
void apply(const hold_flags& flags, run_settings& to);

} // namespace holdfast::cli
