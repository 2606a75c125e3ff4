#pragma once
// What `holdfast run` was asked to do.

#include "cli/place.hpp"

#include <holdfast/lock_info.hpp>
#include <holdfast/options.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

enum class loudness { quiet, usual, verbose };

struct run_settings {
    place where;
    std::string name;
    std::vector<std::string> command;
    primitive kind = primitive::mutex;
    holdfast::mode mode = mode::exclusive;
    unsigned permits = 1;
    unsigned limit = 1;
    /// Empty: for ever; 0: not at all.
    std::optional<std::chrono::milliseconds> wait{};
    lock_options hold{};
    std::chrono::milliseconds grace{0};
    int busy_code = 75;
    loudness loud = loudness::usual;
};

} // namespace holdfast::cli
