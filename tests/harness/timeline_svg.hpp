#pragma once
// Draws the holds of each lock and the faults of a run as an SVG picture.

#include "harness/fault.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

/// A row per lock, coloured where it is held, and a row per kind of fault. Holds that would be
/// less than a pixel apart are drawn as one, so the size does not grow with their number.
[[nodiscard]] std::string timeline_svg(const std::string& title,
                                       const std::vector<history::event>& events,
                                       const std::vector<injected_fault>& faults);

} // namespace holdfast::test
