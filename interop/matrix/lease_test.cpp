// Leases on both sides: re-entered, renewed, expired and taken over.

#include "matrix.hpp"

namespace holdfast::interop {

class lease : public matrix {
protected:
    /// Waits until the key has expired.
    void let_it_expire() const {
        ASSERT_TRUE(eventually([this] { return is_free(); }, short_lease + slack));
    }
    /// Whether the lock is still there long after the lease that nobody renewed would have ended.
    [[nodiscard]] bool outlives_its_lease() const {
        return test::throughout(2 * watchdog_lease, [this] { return time_left() > 0ms; });
    }
};
HOLDFAST_FOR_ALL_CLIENTS(lease);

TEST_P(lease, they_reenter_it_as_their_library_does) {
    ASSERT_EQ(theirs().ask(try_by("a", long_lease, "reentrant")), "held");
    EXPECT_EQ(theirs().ask("reenter a"), GetParam().again == reentry::refused ? "busy" : "held");
    EXPECT_EQ(ours().ask(try_by("b")), "busy");
    if (GetParam().again == reentry::counted) {
        EXPECT_EQ(theirs().ask("release a"), "held");
        EXPECT_EQ(ours().ask(try_by("b")), "busy");
    }
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(ours().ask(try_by("b")), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(lease, we_reenter_it_as_the_layout_defines) {
    const bool counted = GetParam().layout == "redisson";
    ASSERT_EQ(ours().ask(try_by("a", long_lease, "reentrant")), "held");
    EXPECT_EQ(ours().ask("reenter a"), "held");
    EXPECT_EQ(theirs().ask(try_by("b")), "busy");
    if (counted) {
        EXPECT_EQ(ours().ask("release a"), "held");
        EXPECT_EQ(theirs().ask(try_by("b")), "busy");
    }
    EXPECT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(theirs().ask(try_by("b")), "held");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(lease, theirs_expires_and_we_take_over) {
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    let_it_expire();
    ASSERT_EQ(ours().ask(try_by("b")), "held");
    EXPECT_EQ(theirs().ask("release a"), "lost");
    EXPECT_GT(time_left(), 0ms) << "they released ours";
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(lease, ours_expires_and_they_take_over) {
    ASSERT_EQ(ours().ask(try_by("a", short_lease)), "held");
    let_it_expire();
    ASSERT_EQ(theirs().ask(try_by("b")), "held");
    EXPECT_EQ(ours().ask("release a"), "lost");
    EXPECT_GT(time_left(), 0ms) << "we released theirs";
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(lease, theirs_lasts_while_they_renew_it) {
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    if (!GetParam().renews) { EXPECT_EQ(theirs().ask("renew a"), "unsupported"); }
    for (stopwatch since; GetParam().renews && since.elapsed() < 2 * short_lease;) {
        ASSERT_EQ(theirs().ask("renew a"), "renewed");
        EXPECT_GT(time_left(), short_lease - slack);
        EXPECT_EQ(ours().ask(try_by("b")), "busy");
        std::this_thread::sleep_for(short_lease / 5);
    }
    EXPECT_EQ(theirs().ask("release a"), "released");
}

TEST_P(lease, ours_lasts_while_we_renew_it) {
    ASSERT_EQ(ours().ask(try_by("a", short_lease)), "held");
    for (stopwatch since; since.elapsed() < 2 * short_lease;) {
        ASSERT_EQ(ours().ask("renew a"), "renewed");
        EXPECT_GT(time_left(), short_lease - slack);
        EXPECT_EQ(theirs().ask(try_by("b")), "busy");
        std::this_thread::sleep_for(short_lease / 5);
    }
    EXPECT_EQ(ours().ask("release a"), "released");
}

TEST_P(lease, neither_side_renews_what_the_other_took_over) {
    ASSERT_EQ(theirs().ask(try_by("a", short_lease)), "held");
    let_it_expire();
    ASSERT_EQ(ours().ask(try_by("b", short_lease)), "held");
    EXPECT_EQ(theirs().ask("renew a"), GetParam().renews ? "lost" : "unsupported");
    let_it_expire();
    ASSERT_EQ(theirs().ask(try_by("c")), "held");
    EXPECT_EQ(ours().ask("renew b"), "lost");
    EXPECT_EQ(theirs().ask("release c"), "released");
}

TEST_P(lease, their_watchdog_keeps_us_out) {
    const auto took = theirs().ask(try_by("a", watchdog_lease, "watchdog"));
    if (!GetParam().watchdog) {
        EXPECT_EQ(took, "unsupported");
        return;
    }
    ASSERT_EQ(took, "held");
    const auto waiter = ours().start(wait_by("b"));
    EXPECT_TRUE(outlives_its_lease());
    EXPECT_FALSE(waiter.answered_within(0ms));
    EXPECT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
}

TEST_P(lease, our_watchdog_keeps_them_out) {
    ASSERT_EQ(ours().ask(try_by("a", watchdog_lease, "watchdog")), "held");
    const auto waiter = theirs().start(wait_by("b"));
    EXPECT_TRUE(outlives_its_lease());
    EXPECT_FALSE(waiter.answered_within(0ms));
    EXPECT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(waiter.text(their_patience()), "held");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

} // namespace holdfast::interop
