#pragma once
// Figures and their floors, as a table and as JSON.

#include "measure.hpp"

#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// A row: a figure, the floor that it is compared with, and its bar.
struct result {
    std::string name;
    std::string unit;
    std::vector<double> ours; ///< one per round
    std::string floor{};      ///< empty: no comparison
    std::vector<double> floors{};
    double bar = 0;       ///< for the ratio to the floor, or without one for the figure; 0: none
    bool at_most = false; ///< the bar is a maximum, otherwise a minimum
    int crowd = 0;        ///< the number of waiters, in the figures where it varies

    /// The value to compare with the bar. Ratios are taken round by round.
    [[nodiscard]] spread compared() const;
    [[nodiscard]] bool met() const;
    [[nodiscard]] std::string verdict() const; ///< ">= 0.97 met"
};

/// Prints the table. Returns false if a bar was missed.
bool print(const std::vector<result>& rows);
void write_json(const std::string& file, const std::string& machine,
                const std::vector<result>& rows);

} // namespace holdfast::bench::redis
