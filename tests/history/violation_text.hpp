#pragma once
// Violations as text.

#include "history/checker.hpp"

#include <initializer_list>

namespace holdfast::history {

/// "taker-3 (pid 71, thread 1)".
[[nodiscard]] std::string describe_process(const event& e);

/// "12.345 ms", for lengths of time.
[[nodiscard]] std::string milliseconds(std::chrono::nanoseconds length);

[[nodiscard]] violation make_violation(rule r, const std::string& name, std::string sentence,
                                       std::initializer_list<const event*> events);

} // namespace holdfast::history
