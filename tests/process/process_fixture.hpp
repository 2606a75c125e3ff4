#pragma once
// Tests of processes run against every engine that more than one process can use.

#include "process/arena.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {

class processes : public testing::TestWithParam<engine_under_test> {
protected:
    arena at_{GetParam()};
};

// NOLINTNEXTLINE: the name that a test suite is given is a token, not an expression
#define HOLDFAST_ON_SHARED_ENGINES(suite)                                                          \
    INSTANTIATE_TEST_SUITE_P(on, suite, testing::ValuesIn(shared_engines()),                       \
                             [](const auto& engine) { return engine.param.name; })

} // namespace holdfast::test
