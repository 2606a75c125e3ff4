#pragma once
// Pictures of the figures, as SVG.

#include "redis/results.hpp"

#include <string>
#include <vector>

namespace holdfast::bench::redis {

/// redis-ratios.svg: each ratio and its bar; redis-waiters.svg: hand-offs per second as waiters
/// grow. The folder is made if it is not there; a picture without figures is not written.
void write_plots(const std::string& folder, const std::vector<result>& rows);

} // namespace holdfast::bench::redis
