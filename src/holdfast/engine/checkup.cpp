#include "holdfast/engine/checkup.hpp"

#include <iterator>

namespace holdfast::engine {

void checkup::append(checkup&& other) {
    findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                    std::make_move_iterator(other.findings.end()));
    clocks.insert(clocks.end(), std::make_move_iterator(other.clocks.begin()),
                  std::make_move_iterator(other.clocks.end()));
}

} // namespace holdfast::engine
