// What happens to holders and waiters when sentinels replace the master.

#include "fault/redis_sentinel_fixture.hpp"

namespace holdfast::test {
namespace {

/// A lease that outlives a failover, even on a busy machine.
constexpr milliseconds long_lease = 60s;

class redis_failover : public sentinel_fault {
protected:
    enum class cause { planned, killed, frozen };

    void replace_master(cause reason) {
        redis_server& former = group.master();
        ASSERT_TRUE(is_replicated());
        switch (reason) {
        case cause::planned: group.begin_fail_over(); break;
        case cause::killed: former.kill(); break;
        case cause::frozen: former.pause(); break;
        }
        ASSERT_TRUE(group.moves_from(former)) << group.sentinels[0].log();
    }
    /// A hold and a waiter survive, and tokens go on rising.
    void check_hold_and_waiter(cause reason) {
        client holder = connect();
        client waiter = connect("", {.connect_wait = 2 * long_wait});
        mutex stock{holder, "stock", {.lease = long_lease}};
        auto lease = stock.acquire();
        const auto token = lease.token();
        background wait{[&](std::stop_token stop) {
            auto got = mutex{waiter, "stock"}.acquire({.stop = std::move(stop)});
            return got.token();
        }};
        ASSERT_TRUE(will_wait(1));
        replace_master(reason);
        EXPECT_TRUE(will_wait(1)) << "it has found the new master";
        EXPECT_TRUE(lease.valid());
        EXPECT_EQ(lease.token(), token);
        EXPECT_EQ(holders(group.master()), 1U);
        EXPECT_FALSE(wait.done()) << "P1: the lock is still held";
        lease.release();
        EXPECT_GT(wait.get(), token) << "P3";
        EXPECT_FALSE(attempt(holder, "other").code);
    }
};

TEST_F(redis_failover, that_is_planned_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::planned);
}

TEST_F(redis_failover, after_a_kill_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::killed);
}

TEST_F(redis_failover, of_a_frozen_master_keeps_holders_and_waiters) {
    check_hold_and_waiter(cause::frozen);
}

TEST_F(redis_failover, happens_twice_and_back) {
    client here = connect("", {.connect_wait = 2 * long_wait});
    mutex stock{here, "stock", {.lease = long_lease}};
    auto lease = stock.acquire();
    for (int round = 0; round < 2; ++round) {
        replace_master(cause::planned);
        ASSERT_TRUE(group.has_replicas(1));
        EXPECT_TRUE(eventually([&] { return !attempt(here, "other").code; }));
        EXPECT_TRUE(lease.valid());
        EXPECT_EQ(holders(group.master()), 1U);
    }
}

TEST_F(redis_failover, loses_a_hold_that_was_not_replicated) {
    client here = connect();
    auto watch = std::make_shared<recording_observer>();
    client there = connect("", {.observer = watch});
    mutex stock{there, "stock", {.lease = long_lease}};
    ASSERT_FALSE(attempt(here).code);
    ASSERT_TRUE(is_replicated());
    redis_server& former = group.master();
    for (auto& each : group.servers) {
        if (&each != &former) { each.command({"REPLICAOF", "127.0.0.1", "1"}); }
    }
    const auto lease = stock.acquire();
    former.kill();
    ASSERT_TRUE(group.moves_from(former)) << group.sentinels[0].log();
    const auto lost = watch->await(event::kind::lost);
    ASSERT_TRUE(lost) << "P2: long before its lease ends";
    EXPECT_FALSE(lease.valid());
}

TEST_F(redis_failover, ignores_what_a_frozen_master_executes_later) {
    client late = connect("?timeout=60000");
    client here = connect("", {.connect_wait = 2 * long_wait});
    ASSERT_FALSE(attempt(late).code);
    ASSERT_FALSE(attempt(here).code);
    ASSERT_TRUE(is_replicated());
    redis_server& former = group.master();
    former.pause();
    // These requests lie in the socket of the frozen master.
    background takes_late{[&](std::stop_token stop) {
        return mutex{late, "stock"}.acquire({.stop = std::move(stop)}).token();
    }};
    ASSERT_TRUE(group.moves_from(former)) << group.sentinels[0].log();
    const auto late_token = takes_late.get();
    mutex stock{here, "stock", {.lease = long_lease}};
    const auto lease = stock.acquire();
    EXPECT_GT(lease.token(), late_token) << "the first holder has released it";
    former.resume();
    ASSERT_TRUE(eventually([&] { return role_of(former) == "slave"; })) << former.log();
    EXPECT_TRUE(lease.valid());
    EXPECT_EQ(holders(group.master()), 1U);
    std::error_code failure;
    EXPECT_FALSE((mutex{late, "stock"}.try_lock(failure))) << "P1: it is held";
    EXPECT_FALSE(failure);
}

TEST_F(redis_failover, is_followed_with_one_sentinel_of_three) {
    client here = connect("", {.connect_wait = 2 * long_wait});
    ASSERT_FALSE(attempt(here).code);
    // The two that can still agree are not those that the client can reach.
    auto url = "redis+sentinel://127.0.0.1:" + std::to_string(group.sentinels[2].port()) +
               ",127.0.0.1:1/mymaster";
    client there{url, {.connect_wait = 2 * long_wait}};
    ASSERT_FALSE(attempt(there).code);
    replace_master(cause::killed);
    for (auto* const each : {&here, &there}) {
        EXPECT_TRUE((mutex{*each, "stock"}.try_acquire_for(long_wait)));
    }
}

TEST_F(redis_failover, lets_a_try_end_at_once) {
    client here = connect("?connect_timeout=300");
    ASSERT_FALSE(attempt(here).code);
    redis_server& former = group.master();
    former.kill();
    bool failed = false;
    bool moved = false;
    const stopwatch watch;
    while (!moved && watch.elapsed() < long_wait) {
        const auto got = attempt(here);
        EXPECT_LT(got.took, scaled(900ms)) << got.text;
        failed = failed || got.code == errc::unavailable;
        moved = !got.code && group.master().port() != former.port();
    }
    EXPECT_TRUE(failed && moved);
}

} // namespace
} // namespace holdfast::test
