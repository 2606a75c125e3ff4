#pragma once
// Figures beside their floors, as a table and as JSON.

#include "measure.hpp"

#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// A row: what was measured, what it is compared with, and the bar that it has to meet.
struct result {
    std::string name;
    std::string unit;
    std::vector<double> ours; ///< one per round
    std::string floor{};      ///< empty: compared with nothing
    std::vector<double> floors{};
    double bar = 0;       ///< for the ratio to the floor, or without one for the figure; 0: none
    bool at_most = false; ///< whether the bar is the most or the least that it may be
    int crowd = 0;        ///< how many waited, in those figures where that varies

    /// What is held against the bar. Round by round, since rounds are what is comparable.
    [[nodiscard]] spread compared() const;
    [[nodiscard]] bool met() const;
    [[nodiscard]] std::string verdict() const; ///< ">= 0.97 met"
};

/// Prints the table; false if a bar was missed.
bool print(const std::vector<result>& rows);
void write_json(const std::string& file, const std::string& machine,
                const std::vector<result>& rows);

} // namespace holdfast::bench::redis
