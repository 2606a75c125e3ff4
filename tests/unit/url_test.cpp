#include "holdfast/engine/url.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What the refusal says; empty if there was none.
std::string refusal(std::string_view text) {
    try {
        static_cast<void>(url::parse(text));
    } catch (const error& failure) {
        EXPECT_EQ(failure.code(), errc::invalid_url);
        EXPECT_THAT(failure.what(), testing::StartsWith("URL: "));
        return failure.what();
    }
    return {};
}

TEST(url, may_be_a_scheme_alone) {
    const auto parsed = url::parse("embedded:");
    EXPECT_EQ(parsed.scheme, "embedded");
    EXPECT_EQ(parsed.authority, "");
    EXPECT_EQ(parsed.path, "");
    EXPECT_TRUE(parsed.query.empty());
}

TEST(url, has_a_path_right_after_the_scheme) {
    EXPECT_EQ(url::parse("memory:jobs").path, "jobs");
    EXPECT_EQ(url::parse("embedded:/var/lib/locks.db").path, "/var/lib/locks.db");
    EXPECT_EQ(url::parse("embedded:a:b@c").path, "a:b@c");
}

TEST(url, has_an_unparsed_authority_after_two_slashes) {
    const auto parsed = url::parse("redis://me:p%40ss@a:1,b:2/0?mode=x");
    EXPECT_EQ(parsed.scheme, "redis");
    EXPECT_EQ(parsed.authority, "me:p%40ss@a:1,b:2");
    EXPECT_EQ(parsed.path, "/0");
    EXPECT_EQ(parsed.query.at("mode"), "x");
    EXPECT_EQ(url::parse("redis://host?x=1").authority, "host");
    EXPECT_EQ(url::parse("redis://host").path, "");
    EXPECT_EQ(url::parse("embedded:///var/x").path, "/var/x");
    EXPECT_EQ(url::parse("embedded:///var/x").authority, "");
}

TEST(url, decodes_path_and_query) {
    const auto parsed = url::parse("embedded:/a%20b%2fc%3F?k%3d=v%26+%C3%a9&empty=&eq=a=b");
    EXPECT_EQ(parsed.path, "/a b/c?");
    EXPECT_EQ(parsed.query.at("k="), "v&+\xC3\xA9");
    EXPECT_EQ(parsed.query.at("empty"), "");
    EXPECT_EQ(parsed.query.at("eq"), "a=b");
    EXPECT_EQ(parsed.query.size(), 3U);
}

TEST(url, without_a_valid_scheme_is_refused_with_an_example) {
    for (const auto* text : {"", "embedded", "/var/lib/locks", "?a=b", "127.0.0.1/x:y"}) {
        EXPECT_THAT(refusal(text), HasSubstr("embedded: or memory:")) << text;
    }
    for (const auto* text : {"Memory:", "1memory:", "me_mory:", "mem%6fry:", "-x:", ":x"}) {
        EXPECT_THAT(refusal(text), HasSubstr("scheme")) << text;
    }
}

TEST(url, with_a_bad_percent_sign_is_refused_naming_the_part) {
    for (const auto* text : {"memory:%", "memory:%4", "memory:%4g", "memory:a%zz", "memory:100%"}) {
        EXPECT_THAT(refusal(text), HasSubstr("path: '%'")) << text;
    }
    EXPECT_THAT(refusal("memory:?a=%4"), HasSubstr("query: '%'"));
}

TEST(url, with_a_nul_byte_is_refused) {
    EXPECT_THAT(refusal("memory:a%00b"), HasSubstr("path: a NUL byte"));
    EXPECT_THAT(refusal("memory:?a%00=b"), HasSubstr("query: a NUL byte"));
    EXPECT_THAT(refusal(std::string_view{"memory:a\0b", 10}), HasSubstr("control character"));
}

TEST(url, with_blanks_or_control_characters_or_a_fragment_is_refused) {
    for (const auto* text : {"memory:a b", " memory:", "memory:\n", "mem\tory:", "memory:\x7f"}) {
        EXPECT_THAT(refusal(text), HasSubstr("blank or control character")) << text;
    }
    EXPECT_THAT(refusal("memory:a#b"), HasSubstr("'#'"));
}

TEST(url, with_a_malformed_query_is_refused_naming_the_key) {
    EXPECT_THAT(refusal("memory:?"), HasSubstr("query: a key is missing"));
    EXPECT_THAT(refusal("memory:?=x"), HasSubstr("query: a key is missing"));
    EXPECT_THAT(refusal("memory:?a=1&"), HasSubstr("query: a key is missing"));
    EXPECT_THAT(refusal("memory:?mode"), HasSubstr("'mode' has no value"));
    EXPECT_THAT(refusal("memory:?mode=1&b=2&mode=1"), HasSubstr("'mode' is there twice"));
    EXPECT_THAT(refusal("memory:?mode=1&%6dode=2"), HasSubstr("'mode' is there twice"));
}

TEST(url, never_quotes_a_password) {
    for (const auto* text :
         {"redis://me:s3cret@host/%", "redis://me:s3cret@host/?a", "redis://me:s3cret@ho st",
          "me:s3cret@host%", "redis://me:s3cret@host/?a=1&a=2", "redis://h/?s3cret%26x",
          "://me:s3cret@host"}) {
        const auto message = refusal(text);
        EXPECT_FALSE(message.empty()) << text;
        EXPECT_THAT(message, Not(HasSubstr("s3cret")));
    }
}

TEST(url, allows_only_the_keys_that_an_engine_knows) {
    const auto parsed = url::parse("embedded:?mode=0660&colour=red");
    EXPECT_NO_THROW(parsed.allow_only({"colour", "mode"}));
    try {
        parsed.allow_only({"mode", "wait"});
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(failure.code(), errc::invalid_url);
        EXPECT_THAT(failure.what(), HasSubstr("'colour' is not known to embedded"));
        EXPECT_THAT(failure.what(), HasSubstr("mode, wait"));
    }
    EXPECT_THROW(parsed.allow_only({}), error);
    EXPECT_NO_THROW(url::parse("memory:").allow_only({}));
}

} // namespace
} // namespace holdfast::engine
