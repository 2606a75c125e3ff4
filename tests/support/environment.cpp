#include "support/environment.hpp"

#include <cstdlib>
#include <random>

namespace holdfast::test {

unsigned long number_from_environment(const char* name, unsigned long fallback) {
    const char* const value = std::getenv(name);
    return value == nullptr ? fallback : std::strtoul(value, nullptr, 10);
}

unsigned seed_of_this_run() {
    return static_cast<unsigned>(
        number_from_environment("HOLDFAST_TEST_SEED", std::random_device{}()));
}

bool is_long_run() { return std::getenv("HOLDFAST_TEST_LONG") != nullptr; }

} // namespace holdfast::test
