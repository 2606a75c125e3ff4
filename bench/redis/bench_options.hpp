#pragma once
// The command line of a benchmark of servers.

#include <string>

namespace holdfast::bench::redis {

struct bench_options {
    bool quick = false;
    std::string only{};  ///< a regular expression
    std::string json{};  ///< a file
    std::string plots{}; ///< a folder
};

/// Which options a program has beside --quick, --only and --json.
struct more_options {
    bool plots = false;
};

/// Throws std::invalid_argument.
[[nodiscard]] bench_options parse_options(int argc, char** argv, more_options more);

} // namespace holdfast::bench::redis
