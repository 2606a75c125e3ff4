// What happens to holders and waiters when a replica of a cluster's master takes over, and what
// acknowledged replicas, TLS and long leases add.

#include "fault/redis_cluster_fixture.hpp"
#include "support/scratch_folder.hpp"
#include "support/tls_server.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

class redis_cluster_failover : public cluster_with_replicas {
protected:
    enum class cause { planned, killed, frozen };

    void replace_master(cause reason, const std::string& name) {
        const auto slot = group.slot_of(key_of(name));
        auto& former = group.master_of_slot(slot);
        ASSERT_TRUE(is_replicated(former));
        switch (reason) {
        case cause::planned: group.fail_over(former); break;
        case cause::killed: former.kill(); break;
        case cause::frozen: former.pause(); break;
        }
        if (reason == cause::frozen) {
            // A node that does not answer cannot be asked for its opinion.
            auto& other = group.other_master(former);
            ASSERT_TRUE(eventually([&] {
                return other.command({"CLUSTER", "NODES"}).string().find("master,fail") !=
                           std::string::npos &&
                       cluster_info(other, "cluster_state") == "ok";
            }));
        } else {
            ASSERT_TRUE(group.moves_from(former, slot));
        }
    }
    /// A hold and a waiter survive, and tokens go on rising.
    void check_hold_and_waiter(cause reason) {
        client holder = connect();
        client waiter = connect("", {.connect_wait = 2 * long_wait});
        auto hold = mutex{holder, "stock", {.lease = lease_of_a_minute}}.acquire();
        const auto token = hold.token();
        auto next = wait_for_lock(waiter, "stock");
        ASSERT_TRUE(will_wait(1, "stock"));
        replace_master(reason, "stock");
        EXPECT_TRUE(will_wait(1, "stock")) << "it has found the new master";
        EXPECT_TRUE(hold.valid()) << "lost: "
                                  << (hold.why_lost() ? to_string(*hold.why_lost()) : "");
        EXPECT_EQ(hold.token(), token);
        EXPECT_FALSE(next.done()) << "P1: the lock is still held";
        hold.release();
        EXPECT_GT(next.get().token(), token) << "P3";
    }
};

TEST_F(redis_cluster_failover, that_is_planned_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::planned);
}

TEST_F(redis_cluster_failover, after_a_kill_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::killed);
}

TEST_F(redis_cluster_failover, of_a_frozen_master_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::frozen);
}

TEST_F(redis_cluster_failover, happens_twice_and_back) {
    client here = connect("", {.connect_wait = 2 * long_wait});
    client there = connect("", {.connect_wait = 2 * long_wait});
    auto hold = mutex{here, "stock", {.lease = lease_of_a_minute}}.acquire();
    for (int round = 0; round < 2; ++round) {
        replace_master(cause::planned, "stock");
        EXPECT_TRUE((mutex{there, "other"}.try_acquire_for(long_wait)));
        std::error_code failure;
        EXPECT_FALSE((mutex{there, "stock"}.try_acquire_for(50ms, {}, failure))) << "P1";
        EXPECT_FALSE(failure);
        EXPECT_TRUE(hold.valid());
    }
    EXPECT_EQ(hold.release(), release_answer::released);
}

TEST_F(redis_cluster_failover, loses_a_hold_that_was_not_replicated) {
    auto watch = std::make_shared<recording_observer>();
    client here = connect("", {.connect_wait = 2 * long_wait, .observer = watch});
    ASSERT_FALSE(try_once(here, "stock").code);
    auto& former = owner_of("stock");
    ASSERT_TRUE(is_replicated(former));
    // The replica cannot connect again; clients that are connected do not notice.
    former.command({"CONFIG", "SET", "requirepass", "unknown"});
    former.command({"CLIENT", "KILL", "TYPE", "replica"});
    const auto hold = mutex{here, "stock", {.lease = lease_of_a_minute}}.acquire();
    const auto slot = group.slot_of(key_of("stock"));
    former.kill();
    ASSERT_TRUE(group.moves_from(former, slot));
    ASSERT_FALSE(is_held("stock")) << "the test shows nothing: it was replicated";
    EXPECT_TRUE(watch->await(event::kind::lost)) << "P2: long before its lease ends";
    EXPECT_FALSE(hold.valid());
}

TEST_F(redis_cluster_failover, does_not_disturb_the_locks_of_other_masters) {
    client here = connect();
    auto& former = owner_of("stock");
    const auto elsewhere = name_on(group.other_master(former), "other");
    // With full coverage, which is the default, all nodes refuse requests until a failover is over.
    auto hold = mutex{here, elsewhere, {.lease = scaled(4000ms)}}.acquire();
    const auto slot = group.slot_of(key_of("stock"));
    former.kill();
    ASSERT_TRUE(group.moves_from(former, slot));
    EXPECT_TRUE(throughout(scaled(500ms), [&] { return hold.valid(); }));
    EXPECT_EQ(hold.release(), release_answer::released);
}

class redis_cluster_replicas : public cluster_fault {
protected:
    /// A paused replica must not change the cluster.
    redis_cluster_replicas() : cluster_fault{{.node_timeout = 4 * long_wait}} {}
};

TEST_F(redis_cluster_replicas, have_a_lock_by_the_time_that_it_is_granted) {
    client here = connect("?replicas=1");
    for (int i = 0; i < 12; ++i) {
        const auto name = "stock" + std::to_string(i);
        const auto hold = mutex{here, name}.acquire();
        auto& replica = group.replica_of(owner_of(name));
        const auto keys = keys_on(replica, name);
        EXPECT_EQ(std::ranges::count(keys, key_of(name)), 1)
            << "the grant counted before the replica had it";
    }
}

TEST_F(redis_cluster_replicas, that_are_missing_make_an_acquire_unavailable_and_leave_nothing) {
    client here = connect("?replicas=1");
    auto& master = owner_of("stock");
    auto& replica = group.replica_of(master);
    const auto elsewhere = name_on(group.other_master(master), "other");
    replica.pause();
    const auto got = try_once(here, "stock");
    EXPECT_EQ(got.code, errc::unavailable) << "P5: not busy";
    EXPECT_THAT(got.text, HasSubstr("replicas"));
    EXPECT_TRUE(eventually([&] { return !is_held("stock"); })) << "it is withdrawn";
    EXPECT_TRUE((mutex{here, elsewhere}.try_acquire_for(long_wait))) << "that node has its replica";
    replica.resume();
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire_for(long_wait)));
}

TEST(redis_cluster_tls, carries_locks_of_all_nodes) {
    const scratch_folder folder;
    tls_authority authority{folder.path()};
    cluster_group group{{.replicas = 0, .tls = tls_server(authority).tls}};
    client here{group.url("?ca=" + authority.ca_file())};
    for (int i = 0; i < 10; ++i) {
        const auto got = try_once(here, "stock" + std::to_string(i));
        EXPECT_FALSE(got.code) << got.text;
    }
    client stranger{group.url()};
    const auto got = try_once(stranger, "stock");
    EXPECT_EQ(got.code, errc::store_forbidden) << got.text;
    EXPECT_THAT(got.text, HasSubstr("certificate"));
}

} // namespace
} // namespace holdfast::test
