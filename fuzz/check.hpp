#pragma once
// How a fuzz target says that a property does not hold: it ends the process, and libFuzzer keeps
// the input.

#include <cstdio>
#include <cstdlib>

namespace holdfast::fuzz {

inline void check(bool holds, const char* property) {
    if (holds) { return; }
    std::fprintf(stderr, "this does not hold: %s\n", property);
    std::abort();
}

} // namespace holdfast::fuzz
