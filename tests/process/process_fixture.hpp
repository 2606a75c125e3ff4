#pragma once
// The fixture of process tests, which run on every engine that several processes can share.

#include "process/arena.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {

class processes : public testing::TestWithParam<engine_under_test> {
protected:
    arena arena_{GetParam()};
};

// NOLINTNEXTLINE: the name that a test suite is given is a token, not an expression
#define HOLDFAST_ON_SHARED_ENGINES(suite)                                                          \
    INSTANTIATE_TEST_SUITE_P(on, suite, testing::ValuesIn(shared_engines()),                       \
                             [](const auto& engine) { return engine.param.name; })

} // namespace holdfast::test
