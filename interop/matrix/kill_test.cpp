// SIGKILL in any state: the lock is free when its lease expires, not before and not much later; the
// other side acquires it, and nothing is left behind.

#include "matrix.hpp"

namespace holdfast::interop {

class killed : public matrix {
protected:
    /// The victim holds the lock. Afterwards `heir` has it, in time, and gives it up.
    void expect_free_at_the_end_of_the_lease(driver_process& victim, driver_process& heir,
                                             milliseconds patience) const {
        const auto waiter = heir.start(wait_by("heir"));
        EXPECT_FALSE(waiter.answered_within(200ms));
        victim.kill();
        const auto left = time_left();
        ASSERT_GT(left, 0ms);
        const stopwatch since;
        EXPECT_EQ(waiter.text(left + patience), "held");
        EXPECT_GT(since.elapsed(), left - 50ms) << "it was taken from a lease that still ran";
        EXPECT_EQ(heir.ask("release heir"), "released");
    }

    /// The release was done, or not; what it left for the case that it is asked again ends soon.
    void expect_free_at_the_latest_at_the_end_of_the_lease(driver_process& victim,
                                                           driver_process& heir,
                                                           milliseconds patience) const {
        ASSERT_EQ(victim.ask(try_by("a", short_lease)), "held");
        const auto waiter = heir.start(wait_by("heir"));
        EXPECT_FALSE(waiter.answered_within(200ms));
        victim.start("release a");
        victim.kill();
        EXPECT_EQ(waiter.text(short_lease + patience), "held");
        EXPECT_EQ(heir.ask("release heir"), "released");
        for (const auto& latch : keys_of(server(), "redisson_unlock_latch:*")) {
            EXPECT_GT(time_to_live(server(), latch), 0ms) << latch;
            EXPECT_LE(time_to_live(server(), latch), 20s) << latch;
            server().command({"DEL", latch});
        }
    }

    /// The victim waits for what `holder` holds.
    void expect_no_trace_of_a_waiter(driver_process& victim, driver_process& holder,
                                     milliseconds patience) const {
        ASSERT_EQ(holder.ask(try_by("a")), "held");
        const auto waiter = victim.start(wait_by("b"));
        EXPECT_FALSE(waiter.answered_within(400ms));
        victim.kill();
        EXPECT_EQ(waiter.text(), "gone");
        const auto next = holder.start(wait_by("c"));
        EXPECT_FALSE(next.answered_within(400ms));
        ASSERT_EQ(holder.ask("release a"), "released");
        EXPECT_EQ(next.text(patience), "held");
        EXPECT_EQ(holder.ask("release c"), "released");
        EXPECT_TRUE(is_free());
    }
};
HOLDFAST_FOR_ALL_CLIENTS(killed);

TEST_P(killed, while_they_hold_it) {
    const auto victim = another_of_theirs();
    ASSERT_EQ(victim->ask(try_by("a", short_lease)), "held");
    expect_free_at_the_end_of_the_lease(*victim, ours(), our_patience());
}

TEST_P(killed, while_we_hold_it) {
    const auto victim = another_of_ours();
    ASSERT_EQ(victim->ask(try_by("a", short_lease)), "held");
    expect_free_at_the_end_of_the_lease(*victim, theirs(), their_patience());
}

TEST_P(killed, while_they_have_entered_it_twice) {
    const auto victim = another_of_theirs();
    ASSERT_EQ(victim->ask(try_by("a", short_lease, "reentrant")), "held");
    EXPECT_EQ(victim->ask("reenter a"), GetParam().again == reentry::refused ? "busy" : "held");
    expect_free_at_the_end_of_the_lease(*victim, ours(), our_patience());
}

TEST_P(killed, while_we_have_entered_it_twice) {
    const auto victim = another_of_ours();
    ASSERT_EQ(victim->ask(try_by("a", short_lease, "reentrant")), "held");
    EXPECT_EQ(victim->ask("reenter a"), "held");
    expect_free_at_the_end_of_the_lease(*victim, theirs(), their_patience());
}

TEST_P(killed, while_they_release_it) {
    const auto victim = another_of_theirs();
    expect_free_at_the_latest_at_the_end_of_the_lease(*victim, ours(), our_patience());
}

TEST_P(killed, while_we_release_it) {
    const auto victim = another_of_ours();
    expect_free_at_the_latest_at_the_end_of_the_lease(*victim, theirs(), their_patience());
}

TEST_P(killed, while_they_wait_for_it) {
    const auto victim = another_of_theirs();
    expect_no_trace_of_a_waiter(*victim, ours(), our_patience());
}

TEST_P(killed, while_we_wait_for_it) {
    const auto victim = another_of_ours();
    expect_no_trace_of_a_waiter(*victim, theirs(), their_patience());
}

TEST_P(killed, while_they_renew_it) {
    const auto victim = another_of_theirs();
    if (GetParam().watchdog) {
        ASSERT_EQ(victim->ask(try_by("a", watchdog_lease, "watchdog")), "held");
        std::this_thread::sleep_for(watchdog_lease + watchdog_lease / 2);
        ASSERT_GT(time_left(), 0ms) << "it was not renewed";
    } else {
        ASSERT_TRUE(GetParam().renews);
        ASSERT_EQ(victim->ask(try_by("a", short_lease)), "held");
        std::this_thread::sleep_for(short_lease / 3);
        ASSERT_EQ(victim->ask("renew a"), "renewed");
        for (int i = 0; i < 100; ++i) { victim->start("renew a"); } // one of them is under way
    }
    expect_free_at_the_end_of_the_lease(*victim, ours(), our_patience());
}

TEST_P(killed, while_we_renew_it) {
    const auto victim = another_of_ours();
    ASSERT_EQ(victim->ask(try_by("a", watchdog_lease, "watchdog")), "held");
    std::this_thread::sleep_for(watchdog_lease + watchdog_lease / 2);
    ASSERT_GT(time_left(), 0ms) << "it was not renewed";
    expect_free_at_the_end_of_the_lease(*victim, theirs(), their_patience());
}

} // namespace holdfast::interop
