#include <holdfast/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(version, of_the_library_equals_that_of_the_headers) {
    EXPECT_EQ(holdfast::library_version(), HOLDFAST_VERSION);
    EXPECT_STREQ(holdfast::library_version_string(), HOLDFAST_VERSION_STRING);
}

TEST(version, is_the_same_as_text_and_as_a_number) {
    const std::string text = std::to_string(HOLDFAST_VERSION / 10000) + "." +
                             std::to_string(HOLDFAST_VERSION / 100 % 100) + "." +
                             std::to_string(HOLDFAST_VERSION % 100);
    EXPECT_EQ(text, HOLDFAST_VERSION_STRING);
}

} // namespace
