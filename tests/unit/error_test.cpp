// Errors, their names and their texts.
#include "holdfast/api/failure.hpp"

#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace holdfast::test {
namespace {

using testing::HasSubstr;

/// Every code, by the numbers that docs/errors.md lists.
std::vector<errc> all_codes() {
    std::vector<errc> out;
    for (int number = 1; number <= static_cast<int>(errc::no_quorum); ++number) {
        out.push_back(static_cast<errc>(number));
    }
    return out;
}

TEST(error, each_code_has_a_name_and_a_sentence_of_its_own) {
    std::set<std::string> names;
    std::set<std::string> sentences;
    for (const errc code : all_codes()) {
        names.insert(to_string(code));
        sentences.insert(make_error_code(code).message());
    }
    EXPECT_EQ(names.size(), all_codes().size());
    EXPECT_EQ(sentences.size(), all_codes().size());
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_FALSE(sentences.contains("unknown error"));
    EXPECT_STREQ(to_string(errc::store_unsuitable), "store_unsuitable");
    EXPECT_STREQ(to_string(static_cast<errc>(0)), "unknown");
}

TEST(error, each_loss_has_a_name) {
    EXPECT_STREQ(to_string(loss::expired), "expired");
    EXPECT_STREQ(to_string(loss::taken), "taken");
    EXPECT_STREQ(to_string(loss::max_hold), "max_hold");
    EXPECT_STREQ(to_string(loss::thread_exited), "thread_exited");
    EXPECT_STREQ(to_string(static_cast<loss>(99)), "unknown");
}

TEST(error, has_only_its_message_as_text) {
    const error thrown{errc::invalid_option,
                       "lease is 1 ms; it must be from 100 ms to 86400000 ms"};
    EXPECT_STREQ(thrown.what(), "lease is 1 ms; it must be from 100 ms to 86400000 ms");
    EXPECT_EQ(thrown.code(), errc::invalid_option);
    const std::system_error& as_std = thrown;
    EXPECT_STREQ(as_std.what(), thrown.what());
}

TEST(error, has_the_text_of_its_code_without_a_message) {
    const error thrown{errc::cancelled, ""};
    EXPECT_EQ(thrown.what(), make_error_code(errc::cancelled).message());
}

TEST(error, is_copied_without_throwing) {
    static_assert(std::is_nothrow_copy_constructible_v<error>);
    static_assert(std::is_nothrow_copy_assignable_v<error>);
    const error first{errc::lost, "first"};
    error second{errc::internal, "second"};
    second = first;
    EXPECT_STREQ(second.what(), "first");
    EXPECT_EQ(second.code(), errc::lost);
}

TEST(error, contains_the_detail_of_the_engine) {
    const auto text = api::message(errc::unavailable, "mutex \"stock\"", "no reply in time");
    EXPECT_EQ(text, "mutex \"stock\": no reply in time");
    EXPECT_THAT(api::message(errc::unavailable, "mutex \"stock\"", ""),
                HasSubstr(make_error_code(errc::unavailable).message()));
    EXPECT_THAT(api::message(errc::unknown_outcome, "renew", "no reply in time"),
                HasSubstr("may or may not have happened"));
}

} // namespace
} // namespace holdfast::test
