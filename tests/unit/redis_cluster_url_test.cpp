// The URLs of clusters.

#include "holdfast/engine/redis/options.hpp"

#include <holdfast/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast::engine::redis {
namespace {

using testing::HasSubstr;

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

TEST(redis_cluster_url, names_nodes_of_the_cluster) {
    const auto got = parse("redis+cluster://locks:p%40@h1,h2:7001,[::1]:7002?timeout=300");
    ASSERT_TRUE(got.cluster);
    EXPECT_FALSE(got.sentinel);
    const auto& seeds = got.cluster->seeds;
    ASSERT_EQ(seeds.size(), 3U);
    EXPECT_EQ(seeds[0].text(), "h1:6379");
    EXPECT_EQ(seeds[1].text(), "h2:7001");
    EXPECT_EQ(seeds[2].text(), "[::1]:7002");
    EXPECT_EQ(got.user, "locks");
    EXPECT_EQ(got.password, "p@");
    EXPECT_EQ(got.command_timeout, std::chrono::milliseconds{300});
}

TEST(redis_cluster_url, may_be_for_tls) {
    const auto got = parse("rediss+cluster://h1,h2?ca=/ca.pem");
    ASSERT_TRUE(got.server.tls && got.cluster->seeds[1].tls);
    EXPECT_EQ(got.cluster->seeds[1].tls->ca_file, "/ca.pem");
}

TEST(redis_cluster_url, maps_announced_addresses) {
    const auto got = parse("redis+cluster://h1?map=10.0.0.1:6379=localhost:7001");
    EXPECT_EQ(got.map.translate("10.0.0.1", 6379).text(), "localhost:7001");
}

TEST(redis_cluster_url, uses_sharded_channels_as_redisson_does_unless_it_says_otherwise) {
    EXPECT_TRUE(parse("redis+cluster://h1?layout=redisson").sharded);
    EXPECT_FALSE(parse("redis+cluster://h1?layout=redisson&sharded=no").sharded);
    EXPECT_FALSE(parse("redis://h1?layout=redisson").sharded);
}

TEST(redis_cluster_url, that_is_invalid_says_which_part) {
    EXPECT_THAT(refusal("redis+cluster://"), HasSubstr("host: missing"));
    EXPECT_THAT(refusal("redis+cluster://h1,h1"), HasSubstr("server 2: h1:6379 is there twice"));
    EXPECT_THAT(refusal("redis+cluster://h1/1"), HasSubstr("database: a cluster has only"));
    EXPECT_THAT(refusal("redis+cluster://h1/0"), HasSubstr("database: a cluster has only"));
    EXPECT_THAT(refusal("redis+cluster://h1?max_lease=5s"), HasSubstr("max_lease: not with"));
    EXPECT_THAT(refusal("redis+cluster://h1?sentinel_user=x"), HasSubstr("sentinel_user"));
    EXPECT_THAT(refusal("redis://h1,h2"), HasSubstr("redis+cluster:"));
    EXPECT_EQ(refusal("redis+cluster://h1/"), "no error");
    EXPECT_EQ(refusal("redis+cluster://h1?replicas=1"), "no error");
}

} // namespace
} // namespace holdfast::engine::redis
