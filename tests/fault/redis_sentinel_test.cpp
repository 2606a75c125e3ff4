// How a client finds the master by its sentinels, and what it says when it cannot.

#include "fault/redis_sentinel_fixture.hpp"
#include "proxy/proxy.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// No failover here, so the master alone is enough.
class redis_sentinel_search : public sentinel_fault {
protected:
    redis_sentinel_search() : sentinel_fault{{.replicas = 0, .down_after = 2 * long_wait}} {}

    [[nodiscard]] std::string sentinel(std::size_t at) const {
        return "127.0.0.1:" + std::to_string(group.sentinels[at].port());
    }
};

TEST_F(redis_sentinel_search, finds_the_master) {
    client here = connect();
    mutex stock{here, "stock"};
    const auto lease = stock.acquire();
    EXPECT_EQ(holders(group.servers[0]), 1U);
    EXPECT_GT(here.ping().count(), 0);
}

TEST_F(redis_sentinel_search, does_without_some_of_the_sentinels) {
    group.sentinels[0].kill();
    group.sentinels[1].pause();
    client here = connect();
    const auto got = attempt(here);
    EXPECT_FALSE(got.code) << got.text;
    EXPECT_LT(got.took, scaled(700ms)) << "a sentinel that hangs is not waited for";
}

TEST_F(redis_sentinel_search, names_each_sentinel_if_all_are_down) {
    for (auto& each : group.sentinels) { each.kill(); }
    client here = connect();
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(got.text, AllOf(HasSubstr("no sentinel can be asked for the master 'mymaster'"),
                                HasSubstr("Sentinel at " + sentinel(0) + ": "),
                                HasSubstr("Sentinel at " + sentinel(2) + ": ")));
    EXPECT_LT(got.took, scaled(700ms));
    std::error_code failure;
    const stopwatch watch;
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire_for(300ms, {}, failure)));
    EXPECT_EQ(failure, errc::unavailable);
    EXPECT_LT(watch.elapsed(), scaled(700ms)) << "P9";
}

TEST_F(redis_sentinel_search, ends_in_time_if_all_sentinels_hang) {
    for (auto& each : group.sentinels) { each.pause(); }
    client here = connect("?connect_timeout=300");
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(got.text, HasSubstr("Sentinel at " + sentinel(1)));
    EXPECT_LT(got.took, scaled(900ms)) << "P9: one attempt";
}

TEST_F(redis_sentinel_search, goes_on_by_itself_when_a_sentinel_is_back) {
    for (auto& each : group.sentinels) { each.kill(); }
    client here = connect("", {.connect_wait = long_wait});
    background waiter{[&](std::stop_token stop) {
        return mutex{here, "stock"}.acquire({.stop = std::move(stop)}).valid();
    }};
    EXPECT_FALSE(waiter.done_within(200ms));
    group.sentinels[2].restart();
    EXPECT_TRUE(waiter.get());
}

TEST_F(redis_sentinel_search, is_not_needed_while_the_connection_to_the_master_lives) {
    client here = connect();
    mutex stock{here, "stock"};
    auto lease = stock.acquire();
    for (auto& each : group.sentinels) { each.kill(); }
    EXPECT_TRUE(throughout(300ms, [&] { return lease.valid(); }));
    lease.release();
    EXPECT_FALSE(attempt(here).code);
}

TEST_F(redis_sentinel_search, is_needed_for_each_connection) {
    client here = connect();
    ASSERT_FALSE(attempt(here).code);
    for (auto& each : group.sentinels) { each.kill(); }
    group.servers[0].command({"CLIENT", "KILL", "TYPE", "pubsub"});
    EXPECT_TRUE(eventually([&] { return attempt(here).code == errc::unavailable; }))
        << "the server may not be the master any more";
}

TEST_F(redis_sentinel_search, says_that_no_sentinel_knows_the_name) {
    auto url = group.url();
    url.replace(url.find("/mymaster"), 9, "/theirmaster");
    client here{url};
    std::error_code failure;
    const stopwatch watch;
    EXPECT_FALSE((mutex{here, "stock"}.try_acquire_for(5s, {}, failure)));
    EXPECT_EQ(failure, errc::unsupported) << "waiting does not help";
    EXPECT_LT(watch.elapsed(), 2s * slowness);
    const auto got = attempt(here);
    EXPECT_THAT(got.text,
                AllOf(HasSubstr("correct the master's name in the URL"),
                      HasSubstr("Sentinel at " + sentinel(0) + " knows no master 'theirmaster'")));
}

TEST_F(redis_sentinel_search, goes_by_the_sentinels_that_know_the_name) {
    group.sentinels[0].command({"SENTINEL", "REMOVE", "mymaster"});
    group.sentinels[1].command({"SENTINEL", "REMOVE", "mymaster"});
    client here = connect();
    EXPECT_FALSE(attempt(here).code);
}

TEST_F(redis_sentinel_search, fails_if_sentinels_of_one_epoch_disagree) {
    redis_server other;
    group.sentinels[0].command({"SENTINEL", "REMOVE", "mymaster"});
    group.sentinels[0].command(
        {"SENTINEL", "MONITOR", "mymaster", "127.0.0.1", std::to_string(other.port()), "2"});
    {
        client here = connect();
        const auto got = attempt(here);
        EXPECT_FALSE(got.code) << "two of three agree: " << got.text;
        EXPECT_EQ(other.command({"PUBSUB", "NUMPAT"}).number(), 0);
    }
    group.sentinels[1].kill();
    client here = connect();
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(got.text, AllOf(HasSubstr("the sentinels disagree about the master 'mymaster'"),
                                HasSubstr("names 127.0.0.1:" + std::to_string(other.port()))));
}

TEST_F(redis_sentinel_search, says_that_the_master_cannot_be_reached) {
    group.servers[0].kill();
    client here = connect();
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(
        got.text,
        AllOf(HasSubstr("Redis at 127.0.0.1:" + std::to_string(group.servers[0].port()) + ": "),
              HasSubstr("it is the master 'mymaster' according to 3 of 3")));
    EXPECT_LT(got.took, scaled(700ms));
}

TEST_F(redis_sentinel_search, rejects_a_replica_that_is_named_as_the_master) {
    group.servers[0].command({"REPLICAOF", "127.0.0.1", "1"});
    client here = connect();
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unavailable);
    EXPECT_THAT(got.text, HasSubstr("is a replica, but sentinels name it as the master"));
}

TEST_F(redis_sentinel_search, refuses_a_server_that_is_no_sentinel) {
    client here{"redis+sentinel://127.0.0.1:" + std::to_string(group.servers[0].port()) + "/m"};
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::unsupported);
    EXPECT_THAT(got.text, HasSubstr("is no sentinel"));
}

TEST_F(redis_sentinel_search, connects_to_the_mapped_address) {
    proxy between{group.servers[0].port()};
    const auto announced = "127.0.0.1:" + std::to_string(group.servers[0].port());
    client here = connect("?map=" + announced + "=127.0.0.1:" + std::to_string(between.port()));
    EXPECT_FALSE(attempt(here).code);
    EXPECT_GT(between.counts().requests, 0U);
}

class redis_sentinel_passwords : public sentinel_fault {
protected:
    redis_sentinel_passwords()
        : sentinel_fault{{.replicas = 0,
                          .down_after = 2 * long_wait,
                          .password = "of-servers",
                          .sentinel_password = "of-sentinels"}} {}
};

TEST_F(redis_sentinel_passwords, are_two) {
    client here = connect("?sentinel_password=of-sentinels");
    const auto got = attempt(here);
    EXPECT_FALSE(got.code) << got.text;
}

TEST_F(redis_sentinel_passwords, of_the_sentinels_may_be_wrong_or_missing) {
    for (const auto* const query : {"", "?sentinel_password=of-servers"}) {
        client here = connect(query);
        const auto got = attempt(here);
        EXPECT_EQ(got.code, errc::store_forbidden) << query;
        EXPECT_THAT(got.text, AllOf(HasSubstr("Sentinel at "), HasSubstr("sentinel_password"),
                                    Not(HasSubstr("of-s"))))
            << query;
    }
}

TEST_F(redis_sentinel_passwords, of_the_servers_may_be_wrong) {
    auto url = group.url("?sentinel_password=of-sentinels");
    url.replace(url.find("of-servers"), 10, "hunter2");
    client here{url};
    const auto got = attempt(here);
    EXPECT_EQ(got.code, errc::store_forbidden);
    EXPECT_THAT(got.text, AllOf(HasSubstr("Redis at "), Not(HasSubstr("hunter2"))));
}

} // namespace
} // namespace holdfast::test
