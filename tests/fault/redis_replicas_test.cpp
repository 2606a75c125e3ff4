// replicas=N: an acquire or renewal counts only when N replicas have acknowledged it.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;

/// A master and a replica of it; clients reach the master through the proxy.
class redis_replicas : public redis_fault {
protected:
    redis_replicas() {
        follow();
        EXPECT_TRUE(eventually([&] { return server.stat("connected_slaves") == 1; }));
    }
    void follow() {
        replica.command({"REPLICAOF", "127.0.0.1", std::to_string(server.port())});
        EXPECT_TRUE(eventually(
            [&] { return replica.command({"ROLE"}).items().at(3).string() == "connected"; }));
    }

    redis_server replica{{.arguments = {"--repl-diskless-sync-delay", "0"}}};
};

TEST_F(redis_replicas, have_a_lock_by_the_time_that_it_is_granted) {
    auto here = connect("?replicas=1");
    for (int i = 0; i < 20; ++i) {
        const auto name = "stock" + std::to_string(i);
        const auto hold = mutex{here, name}.acquire();
        const auto copy = replica.command({"GET", "hf:{" + name + "}"});
        ASSERT_FALSE(copy.is_nil()) << "the grant counted before the replica had it";
        EXPECT_EQ(std::stoull(copy.string().substr(4, 16)), hold.token());
    }
}

TEST_F(redis_replicas, that_are_missing_make_an_acquire_unavailable_and_leave_nothing) {
    auto here = connect("?replicas=1");
    ASSERT_TRUE((mutex{here, "other"}.try_acquire_for(long_wait))) << "it is connected";
    replica.pause();
    const auto failure = complaint_of([&] { (void)mutex{here, "stock"}.try_acquire_for(500ms); });
    EXPECT_EQ(failure.code, errc::unavailable) << "P5: not busy";
    EXPECT_THAT(failure.text, HasSubstr("replicas"));
    EXPECT_TRUE(eventually([&] { return !is_held(); })) << "it is withdrawn";
    const auto attempt = complaint_of([&] { (void)mutex{here, "stock"}.try_lock(); });
    EXPECT_EQ(attempt.code, errc::unavailable);
    EXPECT_TRUE(eventually([&] { return !is_held(); }));
    replica.resume();
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire_for(long_wait)));
}

TEST_F(redis_replicas, that_are_lost_end_a_lease_although_the_master_renews_it) {
    auto here = connect("?replicas=1");
    const auto hold = mutex{here, "stock", {.lease = 1s}}.acquire();
    std::this_thread::sleep_for(1500ms);
    ASSERT_TRUE(hold.valid()) << "renewed, and acknowledged";
    replica.kill();
    const stopwatch watch;
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
    EXPECT_LT(watch.elapsed(), scaled(1200ms));
    EXPECT_TRUE(eventually([&] { return hold.why_lost() == loss::expired; }));
}

TEST_F(redis_replicas, acknowledge_a_hand_off_before_it_counts) {
    auto here = connect("?replicas=1");
    auto there = connect("?replicas=1");
    auto first = mutex{here, "stock"}.acquire();
    const auto first_token = first.token();
    auto second = wait_for(there);
    ASSERT_TRUE(will_wait(1));
    replica.pause();
    first.release();
    EXPECT_FALSE(second.done_within(600ms)) << "the replica does not have the grant";
    replica.resume();
    const auto hold = second.get();
    EXPECT_TRUE(hold.valid());
    EXPECT_GT(hold.token(), first_token);
}

TEST_F(redis_replicas, need_not_acknowledge_a_release) {
    auto here = connect("?replicas=1");
    auto hold = mutex{here, "stock"}.acquire();
    replica.pause();
    EXPECT_EQ(hold.release(), release_answer::released);
    EXPECT_FALSE(is_held());
}

TEST_F(redis_replicas, acknowledge_locks_of_every_layout) {
    for (const std::string layout : {"plain", "redisson"}) {
        auto here = connect("?replicas=1&layout=" + layout);
        { const auto hold = mutex{here, "of_" + layout}.acquire(); }
        replica.pause();
        const auto failure = complaint_of([&] {
            (void)mutex{here, "of_" + layout}.try_acquire_for(300ms);
        });
        EXPECT_EQ(failure.code, errc::unavailable) << layout;
        EXPECT_THAT(failure.text, HasSubstr("replicas")) << layout;
        replica.resume();
        EXPECT_TRUE((mutex{here, "of_" + layout}.try_acquire_for(long_wait))) << layout;
    }
}

TEST_F(redis_replicas, cost_one_command_per_batch) {
    auto here = connect("?replicas=1");
    mutex stock{here, "stock"};
    { const std::scoped_lock once{stock}; }
    server.command({"CONFIG", "RESETSTAT"});
    for (int i = 0; i < 10; ++i) { const std::scoped_lock hold{stock}; }
    EXPECT_EQ(server.calls_of("wait"), 10) << "one per acquire, none per release";
}

} // namespace
} // namespace holdfast::test
