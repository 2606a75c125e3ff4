// The cluster that tests start, tried with plain connections: what the tests of the Redis engine on
// a cluster stand on.

#include "support/cluster_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast::test {
namespace {

using ::testing::StartsWith;

std::string ask(redis_server& node, const std::vector<std::string>& command_words) {
    return redis_raw{node.port()}.ask(command_words).text();
}

TEST(cluster_group, starts_quickly) {
    EXPECT_LT(quickest_of(3,
                          [] {
                              const stopwatch watch;
                              const cluster_group group{{.replicas = 0}};
                              return watch.elapsed();
                          }),
              scaled(1500ms));
}

TEST(cluster_group, has_three_masters_with_a_replica_each) {
    cluster_group group;
    ASSERT_EQ(group.nodes.size(), 6U);
    for (const auto slot : {0U, 5461U, 10923U, 16383U}) {
        auto& master = group.master_of_slot(slot);
        EXPECT_NE(group.replica_of(master).port(), master.port());
        EXPECT_NE(group.other_master(master).port(), master.port());
    }
    auto& owner = group.master_of("stock");
    EXPECT_EQ(ask(owner, {"SET", "stock", "1"}), "OK");
    EXPECT_THAT(ask(group.other_master(owner), {"GET", "stock"}), StartsWith("error: MOVED"));
}

TEST(cluster_group, moves_a_slot_in_steps_and_back) {
    cluster_group group{{.replicas = 0}};
    const auto slot = group.slot_of("stock");
    auto& from = group.master_of_slot(slot);
    auto& to = group.other_master(from);
    EXPECT_EQ(ask(from, {"SET", "{stock}a", "1"}), "OK");
    EXPECT_EQ(ask(from, {"SET", "{stock}b", "1"}), "OK");
    group.begin_move(slot, from, to);
    group.move_key("{stock}a", from, to);
    EXPECT_THAT(ask(from, {"GET", "{stock}a"}), StartsWith("error: ASK"));
    EXPECT_EQ(ask(from, {"GET", "{stock}b"}), "1");
    EXPECT_THAT(ask(from, {"MGET", "{stock}a", "{stock}b"}), StartsWith("error: TRYAGAIN"));
    group.move_keys(slot, from, to);
    group.finish_move(slot, to);
    EXPECT_EQ(ask(to, {"MGET", "{stock}a", "{stock}b"}), "[1, 1]");
    EXPECT_THAT(ask(from, {"GET", "{stock}a"}), StartsWith("error: MOVED"));
    group.move_slot(slot, from);
    EXPECT_EQ(ask(from, {"MGET", "{stock}a", "{stock}b"}), "[1, 1]");
}

TEST(cluster_group, fails_over_and_back) {
    cluster_group group;
    auto& first = group.master_of("stock");
    EXPECT_EQ(ask(first, {"SET", "stock", "1"}), "OK");
    group.fail_over(first);
    auto& second = group.master_of("stock");
    EXPECT_NE(second.port(), first.port());
    EXPECT_EQ(ask(second, {"GET", "stock"}), "1");
    group.fail_over(second);
    EXPECT_EQ(group.master_of("stock").port(), first.port());
}

TEST(cluster_group, replaces_a_master_that_is_killed) {
    cluster_group group;
    const auto slot = group.slot_of("stock");
    auto& former = group.master_of_slot(slot);
    former.kill();
    ASSERT_TRUE(group.moves_from(former, slot));
    EXPECT_EQ(ask(group.master_of_slot(slot), {"SET", "stock", "1"}), "OK");
    former.restart();
    EXPECT_TRUE(eventually([&] { return !is_master(former); }));
    EXPECT_TRUE(group.is_whole());
}

} // namespace
} // namespace holdfast::test
