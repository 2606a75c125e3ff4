#include "quorum/figures.hpp"

namespace holdfast::bench::quorum {

std::vector<measurement> all_figures() {
    return {{"cycle", native_cycle},
            {"plain layout, cycle", plain_cycle},
            {"two of five killed", killed_minority},
            {"two of five frozen", frozen_minority}};
}

} // namespace holdfast::bench::quorum
