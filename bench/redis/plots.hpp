#pragma once
// Plots of the figures, as SVG.

#include "redis/results.hpp"

#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// redis-ratios.svg: each ratio and its bar; redis-waiters.svg: hand-offs per second by number of
/// waiters. Creates the folder; does not write a plot without figures.
void write_plots(const std::string& folder, const std::vector<result>& rows);

} // namespace holdfast::bench::redis
