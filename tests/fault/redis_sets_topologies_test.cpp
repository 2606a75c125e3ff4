// Several names at once where the data can be lost or moved: replicas, max_lease, sentinels and
// clusters.

#include "fault/redis_cluster_fixture.hpp"
#include "fault/redis_fixture.hpp"
#include "fault/redis_sentinel_fixture.hpp"
#include "support/monitor.hpp"

#include <thread>

namespace holdfast::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> two_accounts{"account:a", "account:b"};

/// A master and a replica of it.
class replicated_set : public redis_fault {
protected:
    replicated_set() {
        replica.command({"REPLICAOF", "127.0.0.1", std::to_string(server.port())});
        EXPECT_TRUE(eventually(
            [&] { return replica.command({"ROLE"}).items().at(3).string() == "connected"; }));
        EXPECT_TRUE(eventually([&] { return server.stat("connected_slaves") == 1; }));
    }

    redis_server replica{{.arguments = {"--repl-diskless-sync-delay", "0"}}};
};

TEST_F(replicated_set, is_on_the_replica_by_the_time_that_it_is_granted) { // P1b
    auto here = connect("?replicas=1");
    for (int round = 0; round < 10; ++round) {
        const std::vector<std::string> names{"x" + std::to_string(round),
                                             "y" + std::to_string(round)};
        const auto set = acquire_all(here, names);
        for (const auto& [name, token] : set.tokens()) {
            const auto copy = replica.command({"GET", "hf:{" + name + "}"});
            ASSERT_FALSE(copy.is_nil()) << "the grant counted before the replica had it";
            EXPECT_EQ(std::stoull(copy.string().substr(4, 16)), token);
        }
    }
}

TEST_F(replicated_set, without_its_replica_is_unavailable_and_leaves_nothing) { // P5
    auto here = connect("?replicas=1");
    ASSERT_TRUE(try_acquire_all_for(here, two_accounts, long_wait)) << "it is connected";
    const auto nothing_is_held = [&] {
        return !is_held(two_accounts.front()) && !is_held(two_accounts.back());
    };
    ASSERT_TRUE(eventually(nothing_is_held));
    replica.pause();
    const auto attempt = complaint_of([&] { (void)try_acquire_all(here, two_accounts); });
    EXPECT_EQ(attempt.code, errc::unavailable) << "not busy";
    EXPECT_THAT(attempt.text, HasSubstr("replicas"));
    EXPECT_TRUE(eventually(nothing_is_held)) << "it is withdrawn";
    EXPECT_EQ(complaint_of([&] { (void)try_acquire_all_for(here, two_accounts, 500ms); }).code,
              errc::unavailable);
    EXPECT_TRUE(eventually(nothing_is_held));
    replica.resume();
    EXPECT_TRUE(try_acquire_all_for(here, two_accounts, long_wait));
}

/// 1.02 * max_lease + 1 s, for a max_lease of 1 s.
constexpr milliseconds grace_of_a_set = 2020ms;

class set_with_max_lease : public redis_fault {
protected:
    [[nodiscard]] client fleet() const { return connect("?max_lease=1s", {.connect_wait = 10s}); }
};

TEST_F(set_with_max_lease, is_made_again_when_the_data_is_flushed) { // P1b, P3
    auto here = fleet();
    auto there = fleet();
    auto set = acquire_all(here, two_accounts, {.lease = 1s});
    const auto tokens = set.tokens();
    server.flush_all();
    const stopwatch watch;
    background second{[&](std::stop_token stop) {
        return acquire_all(there, two_accounts, {.lease = 1s, .stop = std::move(stop)});
    }};
    while (watch.elapsed() < grace_of_a_set + 1s) {
        ASSERT_TRUE(set.valid()) << "after " << watch.elapsed().count() << " ms";
        ASSERT_FALSE(second.done_within(10ms)) << "P1b: a second holder";
    }
    EXPECT_EQ(set.release(), release_answer::released);
    const auto next = second.get();
    for (const auto& [name, token] : next.tokens()) { EXPECT_GT(token, tokens.at(name)) << name; }
}

TEST_F(set_with_max_lease, is_not_made_again_after_its_release) { // P2
    auto here = fleet();
    auto set = acquire_all(here, two_accounts, {.lease = 1s});
    EXPECT_EQ(set.release(), release_answer::released);
    server.flush_all();
    auto there = fleet();
    EXPECT_TRUE(
        try_acquire_all_for(there, two_accounts, grace_of_a_set + long_wait, {.lease = 1s}));
}

TEST_F(set_with_max_lease, that_was_refused_is_not_made_again) { // P5
    auto here = fleet();
    auto there = fleet();
    {
        const auto held = mutex{there, two_accounts.back(), {.lease = 1s}}.acquire();
        EXPECT_FALSE(try_acquire_all(here, two_accounts, {.lease = 1s}));
    }
    server.flush_all();
    EXPECT_TRUE(
        try_acquire_all_for(there, two_accounts, grace_of_a_set + long_wait, {.lease = 1s}));
}

class set_of_a_sentinel_group : public sentinel_fault {};

TEST_F(set_of_a_sentinel_group, survives_a_failover) { // P1b
    const std::string query = "?replicas=1&max_lease=2s";
    client here = connect(query, {.connect_wait = long_wait});
    client there = connect(query, {.connect_wait = long_wait});
    auto set = acquire_all(here, two_accounts, {.lease = 2s});
    const auto tokens = set.tokens();
    background second{[&](std::stop_token stop) {
        return acquire_all(there, two_accounts, {.lease = 2s, .stop = std::move(stop)});
    }};
    group.begin_fail_over();
    const stopwatch watch;
    while (watch.elapsed() < 5s) {
        ASSERT_TRUE(set.valid()) << "after " << watch.elapsed().count() << " ms";
        ASSERT_FALSE(second.done_within(10ms)) << "P1b: a second holder";
    }
    EXPECT_EQ(set.release(), release_answer::released);
    const auto next = second.get();
    for (const auto& [name, token] : next.tokens()) { EXPECT_GT(token, tokens.at(name)) << name; }
}

/// Two names of one slot, and one of another node.
class set_of_a_cluster : public cluster_of_masters {
protected:
    set_of_a_cluster()
        : from{group.nodes[0]},
          to{group.nodes[1]},
          first{name_on(from)},
          slot{group.slot_of(key_of(first))},
          second{twin()},
          elsewhere{name_on(to)} {}

    [[nodiscard]] std::string twin() {
        for (int number = 0;; ++number) {
            auto other = "twin" + std::to_string(number);
            if (group.slot_of(key_of(other)) == slot) { return other; }
        }
    }

    redis_server& from;
    redis_server& to;
    const std::string first;
    const unsigned slot;
    const std::string second;
    const std::string elsewhere;
};

TEST_F(set_of_a_cluster, is_one_call_if_its_names_are_of_one_slot) {
    client here = connect();
    (void)acquire_all(here, {first, second}); // loads the scripts
    monitor seen{from};
    auto set = acquire_all(here, {first, second});
    EXPECT_EQ(seen.commands().size(), 1U);
    EXPECT_TRUE(is_held(first) && is_held(second));
    (void)seen.commands();
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_EQ(seen.commands().size(), 1U);
}

TEST_F(set_of_a_cluster, takes_names_of_several_nodes_in_order) { // P1
    client here = connect();
    client there = connect();
    auto set = acquire_all(here, {first, second, elsewhere});
    EXPECT_TRUE(is_held(first) && is_held(second) && is_held(elsewhere));
    EXPECT_FALSE(try_acquire_all(there, {first, elsewhere}));
    EXPECT_EQ(set.release(), release_answer::released);
    EXPECT_TRUE(try_acquire_all(there, {first, elsewhere}));
}

TEST_F(set_of_a_cluster, moves_with_its_slot) { // P1, P3
    client here = connect();
    client there = connect("", {.connect_wait = long_wait});
    auto set = acquire_all(here, {first, second}, {.lease = lease_of_a_minute});
    const auto tokens = set.tokens();
    group.move_slot(slot, to);
    EXPECT_FALSE(try_acquire_all(there, {first, second})) << "P1";
    EXPECT_TRUE(set.valid());
    EXPECT_EQ(set.release(), release_answer::released);
    auto next = try_acquire_all_for(there, {first, second}, long_wait);
    ASSERT_TRUE(next);
    for (const auto& [name, token] : next->tokens()) { EXPECT_GT(token, tokens.at(name)) << name; }
}

// The nodes refuse a request for several keys of which some have moved and others have not.
TEST_F(set_of_a_cluster, is_acquired_and_released_while_its_slot_moves) { // P1, P4, P5
    client here = connect("", {.connect_wait = 3 * long_wait});
    client there = connect("", {.connect_wait = long_wait});
    auto set = acquire_all(here, {first, second}, {.lease = lease_of_a_minute});
    group.begin_move(slot, from, to);
    group.move_key(key_of(first), from, to);
    std::error_code failure;
    EXPECT_FALSE(try_acquire_all_for(there, {first, second}, 300ms, failure)) << "P1";
    background<release_answer> releasing{[&](const std::stop_token&) { return set.release(); }};
    group.move_keys(slot, from, to);
    group.finish_move(slot, to);
    EXPECT_EQ(releasing.get(), release_answer::released);
    auto next = try_acquire_all_for(there, {first, second}, long_wait);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->release(), release_answer::released);
}

} // namespace
} // namespace holdfast::test
