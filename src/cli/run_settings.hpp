#pragma once
// The settings of one `holdfast run` or `acquire`, from its options and environment.

#include "cli/engine_flags.hpp"

#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

enum class verbosity { quiet, normal, verbose };

struct run_settings {
    engine_address engine;
    std::vector<std::string> names; ///< in order, each once
    std::vector<std::string> command;
    bool follows_dashes = true; ///< the command, on the command line
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    /// Empty: no limit; 0: do not wait.
    std::optional<std::chrono::milliseconds> wait{};
    lock_options hold{};
    std::chrono::milliseconds grace{0};
    int busy_code = 75;
    std::string metrics{}; ///< an address or a file; empty: none
    cli::verbosity verbosity = verbosity::normal;
    /// The election whose lock `names` has; empty: none. After a loss it campaigns again.
    std::string election{};
    std::string published{}; ///< by its leader
};

} // namespace holdfast::cli
