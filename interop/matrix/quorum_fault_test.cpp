// Servers die while a lock is held: those that are left decide, as long as they are a majority.

#include "quorum_matrix.hpp"

namespace holdfast::interop {

/// The shape's `dead` are those that the test kills.
class quorum_fault : public quorum_matrix {
protected:
    quorum_fault() : quorum_matrix{group_use::own} {}

    void kill_a_minority() { group().kill(GetParam().shape.dead); }
    void kill_a_majority() { group().kill(GetParam().shape.dead + 1); }

    /// `holder` holds the lock while servers die; `waiter` gets it by its release.
    void expect_that_the_rest_decides(driver_process& holder, driver_process& waiter,
                                      milliseconds patience) {
        ASSERT_EQ(holder.ask(try_by("a")), "held");
        ASSERT_TRUE(is_held_everywhere()); // otherwise it may lose its majority
        const auto next = waiter.start(wait_by("b"));
        EXPECT_FALSE(next.answered_within(300ms));
        kill_a_minority();
        EXPECT_EQ(waiter.ask(try_by("c")), "busy");
        EXPECT_EQ(holder.ask("renew a"), "renewed");
        EXPECT_FALSE(next.answered_within(300ms));
        EXPECT_EQ(holder.ask("release a"), "released");
        EXPECT_EQ(next.text(patience), "held");
        EXPECT_EQ(holder.ask(try_by("a")), "busy");
        EXPECT_EQ(waiter.ask("release b"), "released");
        EXPECT_TRUE(becomes_free());
    }

    /// Servers have returned: it may be an error until this side has reconnected to a majority.
    void expect_refused(driver_process& side) {
        EXPECT_TRUE(eventually([&] {
            const auto answer = side.ask(try_by("c"));
            EXPECT_NE(answer, "held");
            return answer == "busy";
        }));
    }

    /// `holder` holds the lock while servers die and return without it.
    void expect_that_empty_servers_do_not_let_in(driver_process& holder, driver_process& other) {
        ASSERT_EQ(holder.ask(try_by("a")), "held");
        ASSERT_TRUE(is_held_everywhere()); // what a server forgets is free at once: docs/interop.md
        kill_a_minority();
        EXPECT_EQ(other.ask(try_by("b")), "busy");
        group().restart();
        EXPECT_EQ(other.ask(try_by("b")), "busy");
        EXPECT_EQ(other.ask(wait_by("b", long_lease, 300ms)), "busy");
        EXPECT_EQ(holder.ask("renew a"), "renewed");
        EXPECT_EQ(holder.ask("release a"), "released");
        EXPECT_TRUE(becomes_free());
    }
};
HOLDFAST_FOR_ALL_QUORUMS(one_of_three, quorum_fault, {.servers = 3, .dead = 1});
HOLDFAST_FOR_ALL_QUORUMS(two_of_five, quorum_fault, {.servers = 5, .dead = 2});

TEST_P(quorum_fault, while_they_hold_it_changes_nothing) {
    expect_that_the_rest_decides(theirs(), ours(), our_patience());
}

TEST_P(quorum_fault, while_we_hold_it_changes_nothing) {
    expect_that_the_rest_decides(ours(), theirs(), their_patience());
}

TEST_P(quorum_fault, that_empties_servers_does_not_let_us_in) {
    expect_that_empty_servers_do_not_let_in(theirs(), ours());
}

TEST_P(quorum_fault, that_empties_servers_does_not_let_them_in) {
    expect_that_empty_servers_do_not_let_in(ours(), theirs());
}

TEST_P(quorum_fault, of_a_majority_is_an_error_on_both_sides_until_it_is_back) {
    constexpr auto wait = 1000ms;
    kill_a_majority();
    const stopwatch since;
    EXPECT_EQ(ours().ask(try_by("a")).rfind("error ", 0), 0);
    EXPECT_EQ(theirs().ask(try_by("b")).rfind("error ", 0), 0);
    const auto waited = ours().start(wait_by("a", long_lease, wait)).text(wait + 2 * slack);
    EXPECT_EQ(waited.rfind("error ", 0), 0) << waited;

    group().restart();
    EXPECT_TRUE(eventually([this] { return ours().ask(try_by("a")) == "held"; }));
    expect_refused(theirs());
    EXPECT_EQ(ours().ask("release a"), "released");
    EXPECT_TRUE(eventually([this] { return theirs().ask(try_by("b")) == "held"; }));
    expect_refused(ours());
    EXPECT_EQ(theirs().ask("release b"), "released");
}

} // namespace holdfast::interop
