// The URLs of several servers: redis+sentinel:, lists of servers, and the map of addresses.

#include "holdfast/engine/redis/options.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast::engine::redis {
namespace {

using testing::HasSubstr;
using testing::Not;

options parse(std::string_view text) { return options::from(url::parse(text)); }

std::string refusal(std::string_view text) {
    try {
        static_cast<void>(parse(text));
    } catch (const error& failure) {
        EXPECT_EQ(failure.code(), errc::invalid_url);
        return failure.what();
    }
    return "no error";
}

TEST(redis_sentinel_url, names_the_sentinels_and_the_master) {
    const auto got = parse("redis+sentinel://s1,s2:7,[::1]:26380/mymaster");
    ASSERT_TRUE(got.sentinel);
    const auto& servers = got.sentinel->servers;
    ASSERT_EQ(servers.size(), 3U);
    EXPECT_EQ(servers[0].text(), "s1:26379");
    EXPECT_EQ(servers[1].text(), "s2:7");
    EXPECT_EQ(servers[2].text(), "[::1]:26380");
    EXPECT_EQ(got.sentinel->master, "mymaster");
    EXPECT_EQ(got.database, 0U);
    EXPECT_TRUE(got.password.empty() && got.sentinel->password.empty());
    EXPECT_FALSE(servers[0].tls || got.server.tls);
}

TEST(redis_sentinel_url, has_users_of_the_servers_and_of_the_sentinels) {
    const auto got = parse("redis+sentinel://locks:p%40@s1,s2/mymaster/3?sentinel_user=watch"
                           "&sentinel_password=q%26&timeout=300");
    EXPECT_EQ(got.user, "locks");
    EXPECT_EQ(got.password, "p@");
    EXPECT_EQ(got.sentinel->user, "watch");
    EXPECT_EQ(got.sentinel->password, "q&");
    EXPECT_EQ(got.sentinel->servers.size(), 2U);
    EXPECT_EQ(got.sentinel->master, "mymaster");
    EXPECT_EQ(got.database, 3U);
    EXPECT_EQ(got.command_timeout, std::chrono::milliseconds{300});
}

TEST(redis_sentinel_url, may_be_for_tls) {
    const auto got = parse("rediss+sentinel://s1/m?ca=/ca.pem&server_name=locks.example");
    ASSERT_TRUE(got.server.tls && got.sentinel->servers[0].tls);
    EXPECT_EQ(got.server.tls->ca_file, "/ca.pem");
    EXPECT_EQ(got.sentinel->servers[0].tls->server_name, "locks.example");
}

TEST(redis_sentinel_url, maps_announced_addresses) {
    for (const auto* const text :
         {"redis+sentinel://s1/m?map=10.0.0.1:6379=localhost:7001,[fd::1]:1=[::1]:2",
          "redis+sentinel://s1/m?map=10.0.0.1:6379=localhost:7001&map=[fd::1]:1=[::1]:2"}) {
        const auto got = parse(text);
        EXPECT_EQ(got.map.translate("10.0.0.1", 6379).text(), "localhost:7001") << text;
        EXPECT_EQ(got.map.translate("fd::1", 1).text(), "[::1]:2") << text;
        EXPECT_EQ(got.map.translate("10.0.0.1", 6380).text(), "10.0.0.1:6380") << text;
    }
}

TEST(redis_sentinel_url, that_is_invalid_says_which_part) {
    const std::string secret = "hunter2";
    const auto is = [&](const std::string& text, const std::string& part) {
        const auto message = refusal(text);
        EXPECT_THAT(message, testing::StartsWith("URL: " + part)) << text;
        EXPECT_THAT(message, Not(HasSubstr(secret))) << text;
    };
    is("redis+sentinel:///mymaster", "host: missing");
    is("redis+sentinel://s1", "path: the master's name is missing");
    is("redis+sentinel://s1/", "path: the master's name is missing");
    is("redis+sentinel://s1//2", "path: the master's name is missing");
    is("redis+sentinel://s1,,s2/m", "server 2: host: missing");
    is("redis+sentinel://s1,s2:0/m", "server 2: port: ");
    is("redis+sentinel://s1,s2:x/m", "server 2: port: ");
    is("redis+sentinel://s1,::1/m", "server 2: host: write an IPv6 address");
    is("redis+sentinel://s1,s2,s1:26379/m", "server 3: s1:26379 is there twice");
    is("redis+sentinel://hunter2@s1/m", "user: a password is missing");
    is("redis+sentinel://s1/m/x", "database: ");
    is("redis+sentinel://s1/m/1/2", "database: ");
    is("redis+sentinel://s1/m?sentinel_user=hunter2", "query: sentinel_user: ");
    is("redis+sentinel://s1/m?sentinel_pass=hunter2", "query: 'sentinel_pass' is not known");
    is("redis+sentinel://s1/m?sentinel_password=hunter2&sentinel_password=hunter2",
       "query: 'sentinel_password' is there twice");
    is("redis+sentinel://s1/m?ca=/x", "query: 'ca' is not known");
    for (const auto* const map :
         {"", "a:1", "a:1=", "=a:1", "a=b", "a:1=b", "a:1=b:2,", "a:1=b:0"}) {
        is("redis+sentinel://s1/m?map=" + std::string{map}, "query: map: ");
    }
    is("redis+sentinel://s1/m?map=a:1=b:2&map=a:1=c:3", "query: map: a:1 is there twice");
    is("redis://s1?map=a:1=b:2", "query: 'map' is not known");
    is("redis://s1,s2", "host: only one server");
}

} // namespace
} // namespace holdfast::engine::redis
