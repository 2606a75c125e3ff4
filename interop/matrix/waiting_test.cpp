// A release on one side wakes a waiter on the other, long before the lease would have ended.

#include "matrix.hpp"

#include <utility>
#include <vector>

namespace holdfast::interop {

namespace {

/// Until the waiter has certainly asked once, and sleeps.
void let_it_settle(const pending& waiter) { EXPECT_FALSE(waiter.answered_within(400ms)); }

} // namespace

class waiting : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(waiting);

TEST_P(waiting, our_release_wakes_their_waiter) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    const auto waiter = theirs().start(wait_by("b"));
    let_it_settle(waiter);
    ASSERT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(waiter.text(their_patience()), "held");
    EXPECT_EQ(ours().ask(try_by("a")), "busy");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(waiting, their_release_wakes_our_waiter) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    const auto waiter = ours().start(wait_by("b"));
    let_it_settle(waiter);
    ASSERT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(theirs().ask(try_by("a")), "busy");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(waiting, our_release_tells_our_waiter_of_another_process) {
    const auto other = another_of_ours();
    std::vector<microseconds> times;
    for (int i = 0; i < 9; ++i) { times.push_back(wake_up(ours(), *other)); }
    EXPECT_LT(median(times), 50ms) << "one that only looks needs twice that";
}

TEST_P(waiting, waiters_of_both_sides_all_get_it_in_the_end) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    std::vector<std::pair<std::string, pending>> mine;
    std::vector<std::pair<std::string, pending>> others;
    for (const std::string hold : {"b", "c", "d"}) {
        mine.emplace_back(hold, ours().start(wait_by(hold)));
        others.emplace_back(hold, theirs().start(wait_by(hold)));
    }
    let_it_settle(mine.front().second);
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

TEST_P(waiting, ends_when_the_lease_of_the_other_side_does) {
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    const auto after_them = ours().start(wait_by("b", short_lease));
    EXPECT_FALSE(after_them.answered_within(short_lease - slack));
    EXPECT_EQ(after_them.text(slack + our_patience()), "held");

    const auto after_us = theirs().start(wait_by("c"));
    EXPECT_FALSE(after_us.answered_within(short_lease - slack - slack));
    EXPECT_EQ(after_us.text(2 * slack + their_patience()), "held");
    EXPECT_EQ(theirs().ask("release c"), "released");
}

} // namespace holdfast::interop
