#include "cli/run_owners.hpp"

#include <cstdlib>
#include <sstream>

namespace holdfast::cli {

namespace {

std::string owners_around() {
    const char* const value = std::getenv(run_owners); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

} // namespace

std::string owners_with(const std::string& owner) {
    const auto around = owners_around();
    return around.empty() ? owner : around + " " + owner;
}

bool is_of_a_run(const std::string& owner) {
    std::istringstream owners{owners_around()};
    for (std::string each; owners >> each;) {
        if (each == owner) { return true; }
    }
    return false;
}

} // namespace holdfast::cli
