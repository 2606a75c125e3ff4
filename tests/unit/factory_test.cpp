#include "holdfast/engine/factory.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <unistd.h>

namespace holdfast::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string refusal(std::string_view text, errc code) {
    try {
        static_cast<void>(make_engine(url::parse(text), this_process()));
    } catch (const error& failure) {
        EXPECT_EQ(failure.code(), code);
        return failure.what();
    }
    return {};
}

TEST(factory, makes_the_engine_that_the_scheme_names) {
    EXPECT_NE(make_engine(url::parse("memory:"), this_process()), nullptr);
    EXPECT_NE(make_engine(url::parse("memory:jobs"), this_process()), nullptr);
#if HOLDFAST_WITH_EMBEDDED
    EXPECT_NE(make_engine(url::parse(default_url), this_process()), nullptr);
#else
    EXPECT_THAT(refusal("embedded:", errc::unsupported), HasSubstr("is not in this build"));
#endif
}

TEST(factory, refuses_an_unknown_scheme_and_says_which_there_are) {
    const auto message = refusal("mysql://host", errc::unsupported);
    EXPECT_THAT(message, HasSubstr("no engine 'mysql'"));
    EXPECT_THAT(message, HasSubstr("memory:"));
    EXPECT_THAT(message, Not(HasSubstr("::")))
        << "the colon of a URL is enough before the sentence";
}

TEST(factory, refuses_a_memory_url_with_a_host_or_a_query) {
    EXPECT_THAT(refusal("memory://jobs", errc::invalid_url), HasSubstr("memory:NAME"));
    EXPECT_THAT(refusal("memory:?mode=0660", errc::invalid_url), HasSubstr("'mode'"));
}

TEST(factory, gives_each_client_of_a_process_an_id_of_its_own) {
    const auto first = this_process();
    const auto second = this_process();
    EXPECT_NE(first.client, second.client);
    EXPECT_EQ(first.pid, ::getpid());
    EXPECT_FALSE(first.host.empty());
    EXPECT_EQ(first.boot, second.boot);
}

} // namespace
} // namespace holdfast::engine
