// Redisson's fair lock and our mutex in layout redisson_fair: one queue for both sides.

#include "redisson_kinds.hpp"

namespace holdfast::interop {

class redisson_fair : public redisson_kind {
protected:
    [[nodiscard]] std::int64_t queued() const {
        return server().command({"LLEN", "redisson_lock_queue:{" + name() + "}"}).number();
    }
    /// Starts a waiter, and returns when it is the last of this many in the queue.
    [[nodiscard]] pending queue_up(driver_process& side, const std::string& hold,
                                   std::int64_t length) const {
        auto waiter = side.start(wait_kind(hold, "fair"));
        EXPECT_TRUE(eventually([&] { return queued() == length; }));
        return waiter;
    }
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_fair, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_fair, keeps_the_other_side_out_and_a_try_does_not_queue) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "fair")), "held");
        EXPECT_EQ(ours().ask(try_kind("b", "fair")), "busy");
        EXPECT_EQ(queued(), 0);
        EXPECT_EQ(now.other.ask(try_kind("b", "fair")), "busy");
        EXPECT_EQ(now.other.ask(wait_kind("b", "fair", 300ms)), "busy");
        EXPECT_TRUE(eventually([&] { return queued() == 0; })) << "who gives up leaves the queue";
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_TRUE(is_free());
    });
}

TEST_P(redisson_fair, serves_waiters_of_both_sides_in_the_order_in_which_they_came) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "fair")), "held");
        std::vector<std::pair<driver_process*, pending>> waiters;
        const std::vector<std::string> holds{"b", "c", "d", "e", "f"};
        for (std::size_t i = 0; i < holds.size(); ++i) {
            auto& side = i % 2 == 0 ? now.other : now.holder;
            waiters.emplace_back(&side, queue_up(side, holds[i], static_cast<std::int64_t>(i) + 1));
        }
        EXPECT_EQ(now.holder.ask("release a"), "released");
        for (std::size_t i = 0; i < holds.size(); ++i) {
            EXPECT_EQ(waiters[i].second.text(slack), "held") << "woken, and in order: " << i;
            if (i + 1 < holds.size()) {
                EXPECT_FALSE(waiters[i + 1].second.answered_within(100ms)) << i;
            }
            EXPECT_EQ(waiters[i].first->ask("release " + holds[i]), "released");
        }
        EXPECT_TRUE(is_free());
    });
}

TEST_P(redisson_fair, does_not_let_a_newcomer_pass_a_waiter_of_the_other_side) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "fair")), "held");
        const auto waiter = queue_up(now.other, "b", 1);
        EXPECT_EQ(now.holder.ask("release a"), "released");
        (void)now.holder.ask(try_kind("c", "fair", short_lease)); // may come after it, at most
        EXPECT_EQ(waiter.text(slack), "held");
        EXPECT_EQ(now.other.ask("release b"), "released");
    });
}

TEST_P(redisson_fair, a_waiter_that_gives_up_lets_the_others_behind_it_pass) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "fair")), "held");
        const auto first = now.holder.start(wait_kind("b", "fair", 1500ms));
        EXPECT_TRUE(eventually([&] { return queued() == 1; }));
        const auto second = queue_up(now.other, "c", 2);
        EXPECT_EQ(first.text(), "busy");
        EXPECT_TRUE(eventually([&] { return queued() == 1; }));
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_EQ(second.text(slack), "held");
        EXPECT_EQ(now.other.ask("release c"), "released");
    });
}

TEST_P(redisson_fair, is_free_when_a_killed_holders_lease_has_ended) {
    both_ways([&](const sides& now) {
        const auto victim = another(now.ours);
        ASSERT_EQ(victim->ask(try_kind("a", "fair", short_lease)), "held");
        const auto waiter = queue_up(now.other, "b", 1);
        victim->kill();
        const auto left = time_left();
        const stopwatch since;
        EXPECT_EQ(waiter.text(left + slack + slack), "held");
        EXPECT_GT(since.elapsed(), left - 50ms);
        EXPECT_EQ(now.other.ask("release b"), "released");
    });
}

TEST_P(redisson_fair, a_killed_waiter_of_ours_delays_theirs_by_a_few_seconds_only) {
    ASSERT_EQ(theirs().ask(try_kind("a", "fair", short_lease)), "held");
    const auto victim = another_of_ours();
    const auto first = queue_up(*victim, "b", 1);
    victim->kill();
    const auto second = ours().start(wait_kind("c", "fair"));
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(second.text(5s + 500ms + slack), "held") << "5 s, and until it asks again";
    EXPECT_EQ(ours().ask("release c"), "released");
    EXPECT_TRUE(eventually([&] { return queued() == 0; }));
}

TEST_P(redisson_fair, watchdogs_keep_it) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_by("a", short_lease, "watchdog fair")), "held");
        EXPECT_EQ(now.other.ask(wait_kind("b", "fair", 4500ms)), "busy");
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_TRUE(is_free());
    });
}

TEST_P(redisson_fair, what_they_have_entered_twice_they_must_leave_twice) {
    ASSERT_EQ(theirs().ask(try_kind("a", "fair")), "held");
    ASSERT_EQ(theirs().ask("reenter a"), "held");
    const auto waiter = queue_up(ours(), "b", 1);
    EXPECT_EQ(theirs().ask("release a"), "held");
    EXPECT_FALSE(waiter.answered_within(700ms));
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(waiter.text(slack), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(redisson_fair, each_side_can_break_the_others_hold_and_the_next_is_woken) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "fair")), "held");
        const auto waiter = queue_up(now.holder, "b", 1);
        EXPECT_EQ(now.other.ask("force " + name() + " fair"), "broken");
        EXPECT_EQ(waiter.text(slack), "held");
        EXPECT_EQ(now.holder.ask("release a"), "lost");
        EXPECT_EQ(now.holder.ask("release b"), "released");
    });
}

TEST_P(redisson_fair, and_a_multi_lock_over_it_exclude_each_other) {
    ASSERT_EQ(ours().ask(try_kind("a", "fair")), "held");
    EXPECT_EQ(theirs().ask(try_kind("b", "multi")), "busy");
    EXPECT_EQ(ours().ask("release a"), "released");
    ASSERT_EQ(theirs().ask(try_kind("b", "multi")), "held");
    EXPECT_EQ(ours().ask(try_kind("a", "fair")), "busy");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

} // namespace holdfast::interop
