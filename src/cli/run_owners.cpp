#include "cli/run_owners.hpp"

#include <cstdlib>
#include <sstream>

namespace holdfast::cli {

namespace {

std::string enclosing_run_owners() {
    const char* const value = std::getenv(run_owners_variable); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

} // namespace

std::string append_run_owner(const std::string& owner) {
    const auto enclosing = enclosing_run_owners();
    return enclosing.empty() ? owner : enclosing + " " + owner;
}

bool is_in_run() { return !enclosing_run_owners().empty(); }

bool is_run_owner(const std::string& owner) {
    std::istringstream owners{enclosing_run_owners()};
    for (std::string enclosing; owners >> enclosing;) {
        if (enclosing == owner) { return true; }
    }
    return false;
}

} // namespace holdfast::cli
