// While one side holds the lock, the other side cannot acquire it.

#include "matrix.hpp"

namespace holdfast::interop {

class exclusion : public matrix {};
HOLDFAST_FOR_ALL_CLIENTS(exclusion);

TEST_P(exclusion, they_are_refused_while_we_hold_it) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    EXPECT_EQ(theirs().ask(try_by("b")), "busy");
    EXPECT_EQ(theirs().ask(wait_by("b", long_lease, 300ms)), "busy");
    ASSERT_EQ(ours().ask("release a"), "released");
    EXPECT_EQ(theirs().ask(try_by("b")), "held");
    EXPECT_EQ(theirs().ask("release b"), "released");
    EXPECT_TRUE(is_free());
}

TEST_P(exclusion, we_are_refused_while_they_hold_it) {
    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    EXPECT_EQ(ours().ask(try_by("b")), "busy");
    EXPECT_EQ(ours().ask(wait_by("b", long_lease, 300ms)), "busy");
    ASSERT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(ours().ask(try_by("b")), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
    EXPECT_TRUE(is_free());
}

TEST_P(exclusion, our_tries_do_not_change_their_time_to_live) {
    ASSERT_EQ(theirs().ask(try_by("a", 10500ms)), "held");
    EXPECT_EQ(ours().ask(try_by("b", long_lease)), "busy");
    EXPECT_EQ(ours().ask(try_by("b", 500ms)), "busy");
    EXPECT_LE(time_left(), 10500ms);
    EXPECT_GT(time_left(), 10500ms - slack - slack);
    EXPECT_EQ(theirs().ask("release a"), "released");
}

TEST_P(exclusion, their_tries_do_not_change_our_time_to_live) {
    ASSERT_EQ(ours().ask(try_by("a", 10500ms)), "held");
    EXPECT_EQ(theirs().ask(try_by("b", long_lease)), "busy");
    EXPECT_EQ(theirs().ask(try_by("b", 1500ms)), "busy");
    EXPECT_LE(time_left(), 10500ms);
    EXPECT_GT(time_left(), 10500ms - slack - slack);
    EXPECT_EQ(ours().ask("release a"), "released");
}

TEST_P(exclusion, either_side_can_tell_that_the_other_holds_it) {
    const auto tells = GetParam().tells;
    const auto if_known = [&](const char* text) {
        return tells == telling::nothing ? "unsupported" : text;
    };
    EXPECT_EQ(theirs().ask(ask()), if_known("free"));
    EXPECT_EQ(ours().ask(ask()), "free");

    ASSERT_EQ(ours().ask(try_by("a")), "held");
    const auto told = theirs().ask(ask());
    if (tells == telling::time_left) {
        EXPECT_EQ(told.rfind("held ", 0), 0) << told;
        EXPECT_LE(std::stol(told.substr(5)), long_lease.count());
        EXPECT_GT(std::stol(told.substr(5)), 0);
    } else {
        EXPECT_EQ(told, if_known("held"));
    }
    ASSERT_EQ(ours().ask("release a"), "released");

    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    const auto known = ours().ask(ask());
    ASSERT_EQ(known.rfind("held ", 0), 0) << known;
    EXPECT_LE(std::stol(known.substr(5)), long_lease.count());
    EXPECT_GT(std::stol(known.substr(5)), 0);
    EXPECT_EQ(theirs().ask("release a"), "released");
}

TEST_P(exclusion, neither_side_can_release_what_the_other_holds) {
    ASSERT_EQ(ours().ask(try_by("a")), "held");
    EXPECT_EQ(theirs().ask("intrude " + name()), "refused");
    EXPECT_GT(time_left(), 0ms);
    ASSERT_EQ(ours().ask("release a"), "released");

    ASSERT_EQ(theirs().ask(try_by("a")), "held");
    EXPECT_EQ(ours().ask("intrude " + name()), "refused");
    EXPECT_GT(time_left(), 0ms);
    EXPECT_EQ(theirs().ask("release a"), "released");
}

TEST_P(exclusion, a_lock_without_an_end_is_respected) {
    const auto took = theirs().ask(try_by("a", 0ms));
    if (!GetParam().endless) {
        EXPECT_EQ(took, "unsupported");
        return;
    }
    ASSERT_EQ(took, "held");
    ASSERT_EQ(time_left(), -1ms);
    EXPECT_EQ(ours().ask(try_by("b")), "busy");
    EXPECT_EQ(ours().ask(ask()).rfind("held", 0), 0);
    const auto waiter = ours().start(wait_by("b"));
    EXPECT_FALSE(waiter.answered_within(2 * our_patience()));
    ASSERT_EQ(theirs().ask("release a"), "released");
    EXPECT_EQ(waiter.text(our_patience()), "held");
    EXPECT_EQ(ours().ask("release b"), "released");
}

} // namespace holdfast::interop
