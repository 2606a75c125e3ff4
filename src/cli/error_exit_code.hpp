#pragma once
// The exit code for an error of the library.

#include "cli/exit_codes.hpp"

#include <holdfast/error.hpp>

namespace holdfast::cli {

[[nodiscard]] inline int exit_code_for(const error& error) noexcept {
    if (error.code() == errc::invalid_option || error.code() == errc::invalid_name ||
        error.code() == errc::invalid_url || error.code() == errc::unsupported ||
        error.code() == errc::wrong_primitive || error.code() == errc::wrong_limit) {
        return exit_code::usage;
    }
    if (error.code() == errc::lost) { return exit_code::lost; }
    return error.code() == errc::internal ? exit_code::internal : exit_code::unavailable;
}

} // namespace holdfast::cli
