// Redisson's count-down latch and our latch; its multi lock and our sets.

#include "redisson_kinds.hpp"

namespace holdfast::interop {

class redisson_latch : public redisson_kind {
protected:
    /// A latch of three that only this direction uses.
    [[nodiscard]] std::string latch(const sides& now) const {
        return "latch:" + name() + (now.ours ? ":ours" : ":theirs");
    }
    [[nodiscard]] std::string missing(const sides& now) const {
        return "missing " + latch(now) + " 3";
    }
    [[nodiscard]] std::string arrive(const sides& now) const {
        return "arrive " + latch(now) + " 3";
    }
    [[nodiscard]] std::string wait(const sides& now, milliseconds wait) const {
        return "await " + latch(now) + " 3 " + std::to_string(wait.count());
    }
};
INSTANTIATE_TEST_SUITE_P(interop, redisson_latch, testing::ValuesIn(redisson_alone()), name_of);

TEST_P(redisson_latch, opens_for_both_sides_when_both_together_have_arrived) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(missing(now)), "3"); // sets the count
        EXPECT_EQ(now.other.ask(missing(now)), "3");
        EXPECT_EQ(now.other.ask(arrive(now)), "arrived");
        EXPECT_EQ(now.holder.ask(arrive(now)), "arrived");
        EXPECT_EQ(now.holder.ask(missing(now)), "1");
        EXPECT_EQ(now.other.ask(missing(now)), "1");
        EXPECT_EQ(now.holder.ask(wait(now, 100ms)), "closed");
        EXPECT_EQ(now.other.ask(wait(now, 100ms)), "closed");
        EXPECT_EQ(now.other.ask(arrive(now)), "arrived");
        EXPECT_EQ(now.holder.ask(wait(now, 5s)), "open");
        EXPECT_EQ(now.other.ask(wait(now, 5s)), "open");
    });
}

TEST_P(redisson_latch, wakes_waiters_of_the_other_side_by_its_message) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(missing(now)), "3");
        EXPECT_EQ(now.other.ask(missing(now)), "3");
        const auto ours = now.holder.start(wait(now, 20s));
        const auto theirs = now.other.start(wait(now, 20s));
        ASSERT_TRUE(test::eventually([&] {
            const auto known = server().command(
                {"PUBSUB", "NUMSUB", "redisson_countdownlatch__channel__{" + latch(now) + "}"});
            return known.items().at(1).number() == 2;
        }));
        for (int i = 0; i < 2; ++i) { ASSERT_EQ(now.other.ask(arrive(now)), "arrived"); }
        const test::stopwatch since;
        ASSERT_EQ(now.other.ask(arrive(now)), "arrived");
        EXPECT_EQ(ours.text(), "open");
        EXPECT_EQ(theirs.text(), "open");
        EXPECT_LT(since.elapsed(), 1s + slack);
    });
}

TEST_P(redisson_latch, our_set_and_its_multi_lock_of_the_same_names_exclude_each_other) {
    both_ways([&](const sides& now) {
        ASSERT_EQ(now.holder.ask(try_kind("a", "multi")), "held");
        EXPECT_EQ(now.other.ask(try_kind("b", "multi")), "busy");
        EXPECT_EQ(now.other.ask(try_by("c")), "busy") << "each of its names is taken";
        const auto waiting = now.other.start(wait_kind("b", "multi", 20s));
        EXPECT_EQ(now.holder.ask("release a"), "released");
        EXPECT_EQ(waiting.text(), "held");
        EXPECT_EQ(now.holder.ask(try_kind("a", "multi")), "busy");
        EXPECT_EQ(now.other.ask("release b"), "released");
    });
}

} // namespace holdfast::interop
