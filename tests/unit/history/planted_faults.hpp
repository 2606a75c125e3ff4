#pragma once
// Faults to plant into clean histories. Each finds the holds at which it would show, and changes
// one of them.

#include "history/checker.hpp"

#include <ostream>
#include <random>

namespace holdfast::history::testing {

struct fault {
    std::string name{};
    rule shows_as{};
    /// False if the history offers no place for it.
    bool (*plant)(std::vector<event>& history, std::mt19937_64& random){};
};

inline std::ostream& operator<<(std::ostream& out, const fault& f) { return out << f.name; }

[[nodiscard]] const std::vector<fault>& all_faults();

} // namespace holdfast::history::testing
