// lease::extend through the whole client.

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(extend, beyond_max_hold_is_answered_and_ends_there) {
    client here{"memory:extend_beyond_max_hold"};
    mutex stock{here, "stock"};
    auto held = stock.acquire({.lease = 1s, .max_hold = 3s});
    held.extend(60s);
    EXPECT_TRUE(held.valid());
    EXPECT_GT(held.remaining(), 1s);
    EXPECT_LT(held.remaining(), 3s);
}

} // namespace
} // namespace holdfast::test
