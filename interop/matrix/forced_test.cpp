// An operator breaks a lock of the other side.

#include "matrix.hpp"

namespace holdfast::interop {

class forced : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(forced);

TEST_P(forced, by_us_they_lose_it_and_the_next_of_them_has_it) {
    EXPECT_EQ(ours().ask("force " + name()), "free");
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    const auto waiter = theirs().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    EXPECT_EQ(ours().ask("force " + name()), "broken");
    EXPECT_EQ(waiter.text(their_patience()), "held");
    EXPECT_EQ(theirs().ask("release a"), "lost");
    EXPECT_EQ(theirs().ask("release b"), "released");
}

TEST_P(forced, by_them_we_lose_it_and_the_next_of_us_has_it) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    if (!GetParam().forces) {
        EXPECT_EQ(theirs().ask("force " + name()), "unsupported");
        EXPECT_EQ(ours().ask("release a"), "released");
        return;
    }
    const auto waiter = ours().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(400ms));
    EXPECT_EQ(theirs().ask("force " + name()), "broken");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(ours().ask("release a"), "lost");
    EXPECT_EQ(ours().ask("release b"), "released");
    EXPECT_EQ(theirs().ask("force " + name()), "free");
}

TEST_P(forced, by_us_an_endless_lock_is_free_again) {
    const auto took = theirs().ask(try_by("a", 0ms));
    if (!GetParam().endless) {
        EXPECT_EQ(took, "unsupported");
        return;
    }
    ASSERT_EQ(took, "held");
    EXPECT_EQ(ours().ask("force " + name()), "broken");
    EXPECT_TRUE(is_free());
    EXPECT_EQ(theirs().ask("release a"), "lost");
}

} // namespace holdfast::interop
