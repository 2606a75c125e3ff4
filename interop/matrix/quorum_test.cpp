// A foreign Redlock and Holdfast over the same servers, with and without dead ones: one excludes the
// other, wakes it by a release, and takes over what it leaves behind.

#include "quorum_matrix.hpp"

#include <utility>

namespace holdfast::interop {

class quorum : public quorum_matrix {
protected:
    /// The victim holds the lock. Afterwards `heir` has it, in time, and gives it up.
    void expect_free_at_the_end_of_the_lease(driver_process& victim, driver_process& heir,
                                             milliseconds patience) {
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

    void expect_that_it_expires() {
        ASSERT_TRUE(eventually([this] { return time_left() == -2ms; }, short_lease + slack));
    }
};
HOLDFAST_FOR_ALL_QUORUMS(three_servers, quorum, {.servers = 3});
HOLDFAST_FOR_ALL_QUORUMS(three_servers_one_dead, quorum, {.servers = 3, .dead = 1});
HOLDFAST_FOR_ALL_QUORUMS(five_servers, quorum, {.servers = 5});
HOLDFAST_FOR_ALL_QUORUMS(five_servers_two_dead, quorum, {.servers = 5, .dead = 2});

TEST_P(quorum, refuses_them_while_we_hold_it) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    EXPECT_TRUE(eventually([this] { return group().votes(key()) == group().live_count(); }));
    EXPECT_EQ(theirs().ask(try_by("b")), "busy");
    EXPECT_EQ(theirs().ask(wait_by("b", long_lease, 300ms)), "busy");
    EXPECT_EQ(group().votes(key()), group().live_count()) << "their refused try took votes from us";
    ASSERT_EQ(ours().ask("release a"), "released");
    EXPECT_TRUE(becomes_free());
    EXPECT_EQ(theirs().ask(try_by("b")), "held");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(quorum, refuses_us_while_they_hold_it) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    EXPECT_TRUE(eventually([this] { return group().votes(key()) == group().live_count(); }));
    EXPECT_EQ(ours().ask(try_by("b")), "busy");
    EXPECT_EQ(ours().ask(wait_by("b", long_lease, 300ms)), "busy");
    EXPECT_EQ(group().votes(key()), group().live_count()) << "our refused try took votes from them";
    ASSERT_EQ(theirs().ask("release a"), "released");
    EXPECT_TRUE(becomes_free());
    EXPECT_EQ(ours().ask(try_by("b")), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(quorum, lets_neither_side_release_what_the_other_holds) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    EXPECT_EQ(theirs().ask("intrude " + name()), "refused");
    EXPECT_EQ(theirs().ask(try_by("b")), "busy");
    ASSERT_EQ(ours().ask("release a"), "released");
    EXPECT_TRUE(becomes_free());

    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    EXPECT_EQ(ours().ask("intrude " + name()), "refused");
    EXPECT_EQ(ours().ask(try_by("b")), "busy");
    EXPECT_EQ(theirs().ask("release a"), "released");
}

TEST_P(quorum, gives_it_to_their_waiter_after_our_release) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    const auto waiter = theirs().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    ASSERT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(waiter.text(their_patience()), "held");
    EXPECT_EQ(ours().ask(try_by("a")), "busy");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(quorum, gives_it_to_our_waiter_after_their_release) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    const auto waiter = ours().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    ASSERT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(theirs().ask(try_by("a")), "busy");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(quorum, gives_it_to_all_waiters_of_both_sides_in_the_end) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    std::vector<std::pair<std::string, pending>> mine;
    std::vector<std::pair<std::string, pending>> others;
    for (const std::string hold : {"b", "c", "d"}) {
        mine.emplace_back(hold, ours().start(wait_by(hold)));
        others.emplace_back(hold, theirs().start(wait_by(hold)));
    }
    EXPECT_FALSE(mine.front().second.answered_within(400ms));
    ASSERT_EQ(theirs().ask("release a"), "released");
    // Whoever has it gives it on; nobody is forgotten until the lease ends.
    const auto pass_on = [](auto& all, driver_process& side) {
        std::erase_if(all, [&](const auto& one) {
            if (!one.second.answered_within(0ms)) { return false; }
            EXPECT_EQ(one.second.text(), "held");
            EXPECT_EQ(side.ask("release " + one.first), "released");
            return true;
        });
    };
    EXPECT_TRUE(eventually(
        [&] {
            pass_on(mine, ours());
            pass_on(others, theirs());
            return mine.empty() && others.empty();
        },
        6 * (our_patience() + their_patience())));
}

TEST_P(quorum, keeps_us_out_until_the_lease_of_their_killed_holder_expires) {
    const auto victim = group().another_of_theirs();
    ASSERT_EQ(victim->ask(try_by("a", short_lease)), "held");
    expect_free_at_the_end_of_the_lease(*victim, ours(), our_patience());
}

TEST_P(quorum, keeps_them_out_until_the_lease_of_our_killed_holder_expires) {
    const auto victim = group().another_of_ours();
    ASSERT_EQ(victim->ask(try_by("a", short_lease)), "held");
    expect_free_at_the_end_of_the_lease(*victim, theirs(), their_patience());
}

TEST_P(quorum, lets_neither_side_renew_or_release_what_the_other_took_over) {
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    expect_that_it_expires();
    ASSERT_EQ(ours().ask(try_by("b", short_lease)), "held");
    EXPECT_EQ(theirs().ask("renew a"), "lost");
    EXPECT_EQ(theirs().ask("release a"), "lost");
    EXPECT_GT(time_left(), 0ms) << "they released ours";
    expect_that_it_expires();
    ASSERT_EQ(theirs().ask(try_by("c")), "held");
    EXPECT_EQ(ours().ask("renew b"), "lost");
    EXPECT_EQ(ours().ask("release b"), "lost");
    EXPECT_GT(time_left(), 0ms) << "we released theirs";
    EXPECT_EQ(theirs().ask("release c"), "released");
}

TEST_P(quorum, keeps_the_other_side_out_while_the_holder_renews_it) {
    // Two locks, so that both sides renew at the same time.
    const lock_requests other;
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    ASSERT_EQ(ours().ask(other.try_by("a", watchdog_lease, "watchdog")), "held");
    for (stopwatch since; since.elapsed() < 2 * short_lease;) {
        ASSERT_EQ(theirs().ask("renew a"), "renewed");
        EXPECT_GT(time_left(), short_lease - slack);
        EXPECT_EQ(ours().ask(try_by("b")), "busy");
        EXPECT_EQ(theirs().ask(other.try_by("b")), "busy");
        std::this_thread::sleep_for(short_lease / 5);
    }
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(ours().ask("release a"), "released");
}

} // namespace holdfast::interop
