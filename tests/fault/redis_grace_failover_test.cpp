// P1b over a failover by sentinels, with replicas=1&max_lease=DUR: no second holder, whatever the
// new master has received. Without these options there is one: the first test shows it.

#include "fault/redis_sentinel_fixture.hpp"
#include "fault/taker_crowd.hpp"
#include "proxy/proxy.hpp"
#include "support/environment.hpp"

#include <iostream>
#include <memory>
#include <utility>

namespace holdfast::test {
namespace {

class redis_grace_failover : public sentinel_fault {
protected:
    /// From now on the replicas get everything from the present master this much later.
    void delay_replication(milliseconds delay) {
        auto& master = group.master();
        slow_ = std::make_unique<proxy>(master.port());
        slow_->delay(0ms, delay);
        for (auto& each : group.servers) {
            if (&each == &master) { continue; }
            each.command({"REPLICAOF", "127.0.0.1", std::to_string(slow_->port())});
        }
        ASSERT_TRUE(group.has_replicas(2));
    }
    /// What the replicas have not received by now is gone.
    void lose_master() {
        group.master().kill();
        slow_->cut();
    }
    /// A process takes the lock and freezes; its master dies at once. How long after its grant
    /// another gets the lock.
    [[nodiscard]] milliseconds taken_over_after(const std::string& query, milliseconds lease) {
        taker_process frozen{events_,
                             {"--url", group.url(query), "--label", "frozen", "--history", history_,
                              "--hold", "until_released", "--lease",
                              std::to_string(lease.count())}};
        if (!frozen.wait_for_line("holding", 2 * long_wait)) { return milliseconds{-1}; }
        const stopwatch since_grant;
        frozen.stop();
        lose_master();
        client other = connect(query, {.connect_wait = long_wait});
        const auto hold =
            mutex{other, "stock", {.lease = lease}}.try_acquire_for(lease + 3 * long_wait);
        return hold ? since_grant.elapsed() : milliseconds{-1};
    }

    const scratch_folder folder_;
    const std::string history_ = folder_.path() + "/history";
    history::recorder events_{history_, "test"};
    std::unique_ptr<proxy> slow_; ///< between the master and its replicas
};

TEST_F(redis_grace_failover, gives_a_lock_to_a_second_holder_without_the_options) {
    delay_replication(200ms);
    constexpr milliseconds lease = 30s;
    const auto after = taken_over_after("", lease);
    ASSERT_GT(after, 0ms);
    EXPECT_LT(after, lease / 2) << "the tests below show nothing: nothing was lost";
}

TEST_F(redis_grace_failover,
       gives_a_lock_to_nobody_else_before_its_lease_has_ended_with_the_options) {
    delay_replication(30ms);
    constexpr milliseconds lease = 4s;
    const auto after = taken_over_after("?replicas=1&max_lease=4s", lease);
    ASSERT_GT(after, 0ms) << "P7: it is free again after the grace period";
    EXPECT_GE(after, lease - 50ms) << "P1b: a second holder";
}

TEST_F(redis_grace_failover, leaves_a_holder_its_lock_with_the_options) {
    constexpr milliseconds lease = 2s;
    const std::string query = "?replicas=1&max_lease=2s";
    client here = connect(query, {.connect_wait = long_wait});
    client there = connect(query, {.connect_wait = long_wait});
    auto hold = mutex{here, "stock", {.lease = lease}}.acquire();
    const auto token = hold.token();
    background second{[&](std::stop_token stop) {
        return mutex{there, "stock", {.lease = lease}}.acquire({.stop = std::move(stop)});
    }};
    group.begin_fail_over();
    const stopwatch watch;
    while (watch.elapsed() < 5s) {
        ASSERT_TRUE(hold.valid()) << "after " << watch.elapsed().count() << " ms";
        ASSERT_FALSE(second.done_within(10ms)) << "P1b";
    }
    hold.release();
    EXPECT_GT(second.get().token(), token) << "P3; waiters are served again";
}

/// 16 processes take one lock; its master dies right after a grant, while the holder is frozen.
class redis_grace_failover_under_load : public redis_grace_failover {
protected:
    const milliseconds lease = by_run_length(2000ms, 5000ms);

    /// Freezes a process that has just got the lock for its whole lease. One that waited for the
    /// lock has it only for 2 s before its first renewal.
    [[nodiscard]] bool freeze_holder(taker_crowd& takers, milliseconds frozen_lease) {
        client direct{group.master().url()};
        return eventually([&] {
            if (!takers.freeze_holder(frozen_lease)) { return false; }
            const auto seen = admin{direct}.inspect("stock");
            if (seen && !seen->holders.empty() &&
                seen->holders.front().remaining > frozen_lease - 1s) {
                return true;
            }
            takers.thaw_holder();
            return false;
        });
    }
    void fail_over_after_a_grant(taker_crowd& takers, milliseconds frozen_lease,
                                 milliseconds replication_delay) {
        delay_replication(replication_delay);
        takers.fill_up();
        ASSERT_TRUE(freeze_holder(takers, frozen_lease));
        auto& former = group.master();
        lose_master();
        ASSERT_TRUE(group.moves_from(former));
        former.restart(); // empty; the sentinels make it a replica
        const stopwatch watch;
        while (watch.elapsed() < lease + 3s) { // the grace period, and work after it
            takers.fill_up();
            if (takers.below(3) == 0) { takers.kill_some(); }
            takers.stop_some(300ms);
        }
        takers.thaw_holder();
        ASSERT_TRUE(group.has_replicas(2));
    }
};

TEST_F(redis_grace_failover_under_load, breaks_no_promise_with_the_options) {
    const auto kills = number_from_environment("HOLDFAST_FAILOVERS", by_run_length(1UL, 2UL));
    const auto query = "?replicas=1&max_lease=" + std::to_string(lease.count()) + "ms&timeout=500";
    taker_crowd takers{{.url = group.url(query), .lease = lease, .seed = seed_of_this_run()}};
    takers.fill_up();
    std::this_thread::sleep_for(lease + 2s); // the first grace period
    for (unsigned long kill = 0; kill < kills; ++kill) {
        ASSERT_NO_FATAL_FAILURE(fail_over_after_a_grant(takers, lease, 20ms));
    }
    EXPECT_EQ(takers.finish(), "");
    EXPECT_GT(takers.holds(), static_cast<long>(10 * kills));
}

TEST_F(redis_grace_failover_under_load, lets_two_hold_at_once_without_the_options) {
    // Few wait at a time: a waiter that the replicas know would get the lock again. And its lease
    // is longer than that of the holder before, which the new master still sees.
    taker_crowd takers{
        {.url = group.url("?timeout=500"), .lease = 2s, .pause = 2s, .seed = seed_of_this_run()}};
    ASSERT_NO_FATAL_FAILURE(fail_over_after_a_grant(takers, 30s, 200ms));
    EXPECT_THAT(takers.finish(), testing::HasSubstr("two exclusive leases"))
        << "the test above shows nothing: nothing was lost";
}

/// One server that loses all its data, again and again.
class redis_grace_losses : public testing::Test {
protected:
    redis_server server;
};

TEST_F(redis_grace_losses, under_load_breaks_no_promise_with_max_lease) {
    const auto losses = number_from_environment("HOLDFAST_FAILOVERS", by_run_length(2UL, 4UL));
    const milliseconds lease = by_run_length(1000ms, 5000ms);
    const auto query = "?max_lease=" + std::to_string(lease.count()) + "ms&timeout=500";
    taker_crowd takers{{.url = server.url() + query, .lease = lease, .seed = seed_of_this_run()}};
    takers.fill_up();
    std::this_thread::sleep_for(lease + 1500ms);
    for (unsigned long loss = 0; loss < losses; ++loss) {
        if (loss % 2 == 0) {
            server.flush_all();
        } else {
            server.restart();
        }
        const stopwatch watch;
        while (watch.elapsed() < lease + 2500ms) {
            takers.fill_up();
            if (takers.below(3) == 0) { takers.kill_some(); }
            takers.stop_some(200ms);
        }
    }
    EXPECT_EQ(takers.finish(), "");
    EXPECT_GT(takers.holds(), static_cast<long>(10 * losses));
}

} // namespace
} // namespace holdfast::test
