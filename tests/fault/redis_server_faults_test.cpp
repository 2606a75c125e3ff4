// Faults of a server while its locks are held and waited for: data loss, pauses, lost scripts.

#include "fault/redis_fixture.hpp"

namespace holdfast::test {
namespace {

/// A waiter beats once or twice a second, so a lost message costs no more than that, on a busy
/// machine.
constexpr milliseconds a_second = 1s + scaled(500ms);

class redis_server_fault : public redis_fault {
protected:
    const std::shared_ptr<recording_observer> watch = std::make_shared<recording_observer>();
    client here{server.url() + "?timeout=300&connect_timeout=300", {.observer = watch}};
    client other{server.url() + "?timeout=300&connect_timeout=300"};

    static constexpr milliseconds span = scaled(900ms);

    [[nodiscard]] lease hold() { return mutex{here, "stock"}.acquire({.lease = span}); }
    /// Whether it is still held after a whole lease, thus by renewals.
    [[nodiscard]] static bool goes_on(const lease& held) {
        return throughout(span + 50ms, [&] { return held.valid(); });
    }
    /// Blocks the server from now on.
    void run_slow_script(milliseconds how_long) {
        if (!slow_) { slow_.emplace(server.port()); }
        slow_->send(slow_script(how_long));
    }

private:
    std::optional<redis_raw> slow_;
};

// The data is lost.

TEST_F(redis_server_fault, a_flush_is_noticed_by_the_holder_at_its_next_renewal) { // P2
    const auto held = hold();
    const stopwatch since;
    server.flush_all();
    ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since.elapsed(), span);
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.why_lost(), loss::taken);
}

TEST_F(redis_server_fault, a_flush_lets_the_waiter_proceed_with_a_higher_token) { // P3, P7
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    server.flush_all();
    EXPECT_TRUE(waiting.done_within(a_second)) << "nobody holds it any more";
    EXPECT_GT(waiting.get().token(), held.token());
    EXPECT_EQ(held.release(), release_answer::already_lost);
}

TEST_F(redis_server_fault, a_restart_is_noticed_by_the_holder_at_its_next_renewal) {
    const auto held = hold();
    const stopwatch since;
    server.restart();
    ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since.elapsed(), span + scaled(100ms));
    EXPECT_FALSE(held.valid());
}

TEST_F(redis_server_fault, a_restart_lets_the_waiter_proceed) {
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    server.restart();
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_GT(waiting.get().token(), held.token());
}

TEST_F(redis_server_fault, an_outage_of_two_seconds_delays_a_waiter_by_no_more) {
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    server.kill();
    EXPECT_FALSE(waiting.done_within(2s)) << "connect_wait is five";
    server.restart();
    EXPECT_TRUE(waiting.done_within(1s + a_second)) << "the longest pause between two tries";
}

// The server is paused or busy.

TEST_F(redis_server_fault, a_pause_shorter_than_the_lease_keeps_the_hold) {
    const auto held = hold();
    server.pause();
    std::this_thread::sleep_for(span / 3);
    server.resume();
    EXPECT_TRUE(goes_on(held));
    EXPECT_FALSE(watch->first(event::kind::lost));
}

TEST_F(redis_server_fault,
       a_pause_longer_than_the_lease_is_a_loss_signalled_during_the_pause) { // P2
    const auto held = hold();
    const stopwatch since;
    server.pause();
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_LT(since.elapsed(), span);
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }, scaled(200ms)));
    EXPECT_EQ(held.why_lost(), loss::expired);
    server.resume();
    EXPECT_TRUE((mutex{other, "stock"}.try_acquire_for(a_second)));
    EXPECT_FALSE(held.valid()) << "loss is final";
}

TEST_F(redis_server_fault, a_pause_delays_a_waiter_by_no_more) {
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    server.pause();
    std::this_thread::sleep_for(700ms); // it has given up its connection
    server.resume();
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_server_fault, a_slow_script_shorter_than_the_lease_keeps_the_hold) {
    server.command({"CONFIG", "SET", "busy-reply-threshold", "50"});
    const auto held = hold();
    run_slow_script(span / 3);
    EXPECT_TRUE(goes_on(held));
}

TEST_F(redis_server_fault, a_slow_script_longer_than_the_lease_is_a_loss_signalled_in_time) { // P2
    server.command({"CONFIG", "SET", "busy-reply-threshold", "50"});
    const auto held = hold();
    const stopwatch since;
    run_slow_script(span + 500ms);
    ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_LT(since.elapsed(), span + scaled(100ms));
    EXPECT_THAT(watch->await(event::kind::renewal_failed)->detail, testing::HasSubstr("BUSY"));
    EXPECT_TRUE((mutex{other, "stock"}.try_acquire_for(2 * a_second)));
}

TEST_F(redis_server_fault, a_slow_script_delays_a_hand_off_by_no_more_than_itself) {
    server.command({"CONFIG", "SET", "busy-reply-threshold", "50"});
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    run_slow_script(400ms);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(waiting.done_within(400ms + a_second));
}

// Connections and scripts are lost.

TEST_F(redis_server_fault, killed_connections_keep_the_hold) {
    auto held = hold();
    drop_connections(server);
    EXPECT_TRUE(goes_on(held));
    EXPECT_EQ(held.release(), release_answer::released);
}

TEST_F(redis_server_fault, killed_connections_delay_a_waiter_by_at_most_a_second) {
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    drop_connections(server);
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_TRUE(waiting.get().valid());
}

TEST_F(redis_server_fault, lost_scripts_are_loaded_again) {
    auto held = hold();
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(goes_on(held)) << "renewals";
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_EQ(held.release(), release_answer::released);
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_TRUE((mutex{here, "stock"}.try_acquire()));
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_FALSE((admin{here}.inspect("nothing")));
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(admin{here}.list().locks.empty());
    EXPECT_FALSE(watch->first(event::kind::lost));
}

TEST_F(redis_server_fault, lost_scripts_do_not_hide_locks_from_a_list) {
    const auto held = hold();
    (void)other.ping();
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_EQ(admin{other}.list().locks.size(), 1U);
}

TEST_F(redis_server_fault, lost_scripts_delay_a_waiter_by_at_most_a_second) {
    auto held = mutex{here, "stock"}.acquire();
    auto waiting = wait_for(other);
    ASSERT_TRUE(will_wait(1));
    server.command({"SCRIPT", "FLUSH"});
    EXPECT_EQ(held.release(), release_answer::released);
    EXPECT_TRUE(waiting.done_within(a_second));
    EXPECT_TRUE(waiting.get().valid());
}

} // namespace
} // namespace holdfast::test
