// parse_server_error: what the error replies of servers mean, by their exact wording.

#include "holdfast/engine/redis/protocol/server_error.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace holdfast::engine::redis {
namespace {

struct error_case {
    std::string_view reply;
    errc code;
};

class redis_server_error : public testing::TestWithParam<error_case> {};

TEST_P(redis_server_error, has_its_code) {
    const auto error = parse_server_error(GetParam().reply, "127.0.0.1:6379");
    EXPECT_EQ(error.code, GetParam().code) << error.detail;
    EXPECT_THAT(error.detail, testing::StartsWith("Redis at 127.0.0.1:6379: "));
    EXPECT_EQ(error.scripts_are_gone, GetParam().reply.starts_with("NOSCRIPT"));
    const bool replica =
        GetParam().reply.starts_with("READONLY") || GetParam().reply.starts_with("MASTERDOWN");
    EXPECT_EQ(error.is_replica, replica);
}

INSTANTIATE_TEST_SUITE_P(
    replies, redis_server_error,
    testing::Values(
        error_case{"NOPERM this user has no permissions to run the 'get' command",
                   errc::store_forbidden},
        // inside a script: Redis 7.0
        error_case{"ERR The user executing the script can't run this command or subcommand "
                   "script: 0f, on @user_script:1.",
                   errc::store_forbidden},
        // inside a script: Redis 7.2 and later, Valkey
        error_case{"ERR ACL failure in script: User alice has no permissions to run the 'get' "
                   "command script: 0f, on @user_script:1.",
                   errc::store_forbidden},
        error_case{"NOSCRIPT No matching script. Please use EVAL.", errc::unavailable},
        error_case{"READONLY You can't write against a read only replica.", errc::unavailable},
        // a script
        error_case{"READONLY You can not run script with write flag on readonly replica.",
                   errc::unavailable},
        error_case{"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to "
                   "'no'.",
                   errc::unavailable},
        error_case{"ERR max number of clients reached", errc::unavailable},
        error_case{"ERR something that no version says", errc::internal}),
    [](const auto& test) { return std::to_string(test.index); });

TEST(redis_server_error_text, leaves_out_the_trace_of_the_script) {
    const auto error = parse_server_error(
        "ERR ACL failure in script: User alice has no permissions to run the 'get' command "
        "script: 0123456789abcdef, on @user_script:12.",
        "127.0.0.1:6379");
    EXPECT_THAT(error.detail, testing::HasSubstr("User alice has no permissions"));
    EXPECT_THAT(error.detail, testing::Not(testing::HasSubstr("@user_script")));
    EXPECT_THAT(error.detail, testing::Not(testing::HasSubstr("ACL failure")));
}

} // namespace
} // namespace holdfast::engine::redis
