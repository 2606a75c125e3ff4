// A foreign Redlock and Holdfast over the same servers, with and without dead ones: one side
// excludes the other, lets it in by a release, and takes over what it leaves behind.

#include "quorum_matrix.hpp"

#include <utility>

namespace holdfast::interop {

class quorum : public quorum_matrix {
protected:
    [[nodiscard]] std::string key_of(const lock_requests& lock) const {
        return GetParam().client.key_prefix + lock.name();
    }
    /// When the lease of its holder ends at the earliest, as the servers say.
    [[nodiscard]] instant end_of_lease(const lock_requests& lock) {
        const auto asked = std::chrono::steady_clock::now();
        const auto left = group().time_left(key_of(lock));
        EXPECT_GT(left, 0ms);
        return asked + left;
    }
    static void expect_held_at(const pending& waiter, instant end, milliseconds patience) {
        ASSERT_EQ(waiter.text(short_lease + patience), "held");
        EXPECT_GT(waiter.at(), end - 50ms) << "it was taken from a lease that still ran";
        EXPECT_LT(waiter.at(), end + patience);
    }
};
HOLDFAST_FOR_ALL_QUORUMS(three_servers, quorum, {.servers = 3});
HOLDFAST_FOR_ALL_QUORUMS(three_servers_one_dead, quorum, {.servers = 3, .dead = 1});
HOLDFAST_FOR_ALL_QUORUMS(five_servers, quorum, {.servers = 5});
HOLDFAST_FOR_ALL_QUORUMS(five_servers_two_dead, quorum, {.servers = 5, .dead = 2});

TEST_P(quorum, refuses_them_while_we_hold_it) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    EXPECT_TRUE(is_held_everywhere());
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
    EXPECT_TRUE(is_held_everywhere());
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

// What waits for the end of a lease does so in both directions at the same time, with two locks.

TEST_P(quorum, keeps_the_other_side_out_until_the_lease_of_a_killed_holder_expires) {
    const lock_requests& after_them = *this;
    const lock_requests after_us;
    const auto their_victim = group().another_of_theirs();
    const auto our_victim = group().another_of_ours();
    ASSERT_EQ(their_victim->ask(after_them.try_by("a", short_lease)), "held");
    ASSERT_EQ(our_victim->ask(after_us.try_by("a", short_lease)), "held");
    const auto our_heir = ours().start(after_them.wait_by("heir"));
    const auto their_heir = theirs().start(after_us.wait_by("heir"));
    EXPECT_FALSE(our_heir.answered_within(200ms));
    their_victim->kill();
    our_victim->kill();
    const auto their_end = end_of_lease(after_them);
    const auto our_end = end_of_lease(after_us);
    expect_held_at(our_heir, their_end, our_patience());
    expect_held_at(their_heir, our_end, their_patience());
    EXPECT_EQ(ours().ask("release heir"), "released");
    EXPECT_EQ(theirs().ask("release heir"), "released");
}

TEST_P(quorum, lets_neither_side_renew_or_release_what_the_other_took_over) {
    const lock_requests& after_them = *this;
    const lock_requests after_us;
    ASSERT_EQ(theirs().ask(after_them.try_by("a", short_lease)), "held");
    ASSERT_EQ(ours().ask(after_us.try_by("a", short_lease)), "held");
    for (const auto* lock : {&after_them, &after_us}) {
        ASSERT_TRUE(eventually([&] { return group().votes(key_of(*lock)) == 0; },
                               short_lease + quorum_slack));
    }
    ASSERT_EQ(ours().ask(after_them.try_by("b")), "held");
    ASSERT_EQ(theirs().ask(after_us.try_by("b")), "held");
    for (auto* former : {&theirs(), &ours()}) {
        EXPECT_EQ(former->ask("renew a"), "lost");
        EXPECT_EQ(former->ask("release a"), "lost");
    }
    EXPECT_EQ(ours().ask("release b"), "released");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(quorum, keeps_the_other_side_out_while_the_holder_renews_it) {
    const lock_requests other;
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    ASSERT_EQ(ours().ask(other.try_by("a", watchdog_lease, "watchdog")), "held");
    for (stopwatch since; since.elapsed() < short_lease + short_lease / 2;) {
        ASSERT_EQ(theirs().ask("renew a"), "renewed");
        EXPECT_EQ(ours().ask(try_by("b")), "busy");
        EXPECT_EQ(theirs().ask(other.try_by("b")), "busy");
        std::this_thread::sleep_for(short_lease / 5);
    }
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(ours().ask("release a"), "released");
}

} // namespace holdfast::interop
