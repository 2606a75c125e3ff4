#pragma once
// Which exit code an error of the library's is.

#include "cli/exit_codes.hpp"

#include <holdfast/error.hpp>

namespace holdfast::cli {

[[nodiscard]] inline int code_of(const error& what) noexcept {
    if (what.code() == errc::invalid_option || what.code() == errc::invalid_name ||
        what.code() == errc::invalid_url || what.code() == errc::unsupported ||
        what.code() == errc::wrong_primitive || what.code() == errc::wrong_limit) {
        return exit_code::usage;
    }
    if (what.code() == errc::lost) { return exit_code::lost; }
    return what.code() == errc::internal ? exit_code::internal : exit_code::unavailable;
}

} // namespace holdfast::cli
