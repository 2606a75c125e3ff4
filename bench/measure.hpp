#pragma once
// Medians of interleaved rounds, and a table of them beside their floors.

#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench {

struct spread {
    double low = 0;
    double median = 0;
    double high = 0;
};

[[nodiscard]] spread spread_of(std::vector<double> samples);

/// One thing to measure: how many microseconds one of its cycles takes.
struct contender {
    std::string name;
    int cycles = 0; ///< per round
    std::function<void()> cycle;
};

/// Runs all contenders in turn, round after round, so that whatever else the machine does falls on
/// all of them alike. Microseconds per cycle, in the order of the contenders.
[[nodiscard]] std::vector<spread> interleave(const std::vector<contender>& all, int rounds);

/// A row of the result: a figure, what it is compared with, and the bar that it has to meet.
struct figure {
    std::string name;
    spread value;      ///< in microseconds
    std::string floor; ///< empty: none
    spread floor_value;
    double bar = 0; ///< the most that value (or value/floor) may be; 0: none
};

/// Prints the table; false if a bar was missed.
bool report(const std::vector<figure>& rows);
void write_json(const std::string& file, const std::vector<figure>& rows);

} // namespace holdfast::bench
