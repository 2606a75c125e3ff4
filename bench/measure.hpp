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

/// Something to measure: the microseconds of one cycle.
struct contender {
    std::string name;
    int cycles = 0; ///< per round
    std::function<void()> cycle;
};

/// Runs all contenders in turn, round after round, so that other load on the machine affects all of
/// them alike. Returns microseconds per cycle, in the order of the contenders.
[[nodiscard]] std::vector<spread> interleave(const std::vector<contender>& all, int rounds);

/// A row of the result: a figure, the floor that it is compared with, and its bar.
struct figure {
    std::string name;
    spread value;      ///< in microseconds
    std::string floor; ///< empty: none
    spread floor_value;
    double bar = 0; ///< the most that value (or value/floor) may be; 0: none
};

/// Prints the table. Returns false if a bar was missed.
bool report(const std::vector<figure>& rows);
void write_json(const std::string& file, const std::vector<figure>& rows);

} // namespace holdfast::bench
