#pragma once
// A `run` in the command of another one that holds the same lock: it would wait for itself.

#include "cli/run_settings.hpp"

namespace holdfast::cli {

/// Throws error(invalid_option) if an enclosing `run` keeps the engine from granting these names
/// until it has ended. Asks the engine for half a second at most, and only in the command of a
/// `run`; if the engine does not answer, the caller's own request says why.
void refuse_nested_hold(const run_settings& settings);

} // namespace holdfast::cli
