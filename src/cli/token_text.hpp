#pragma once
// A lease's fencing token as text.

#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include <string>

namespace holdfast::cli {

/// Empty if the lock's layout has no tokens.
[[nodiscard]] inline std::string token_text(const lease& held) {
    try {
        return std::to_string(held.token());
    } catch (const error& error) {
        if (error.code() != errc::unsupported) { throw; }
        return {};
    }
}

} // namespace holdfast::cli
