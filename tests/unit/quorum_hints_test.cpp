// Waiters of a quorum, and the nodes' hints.
#include "holdfast/engine/quorum/hints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace holdfast;
using engine::quorum::hints;
using testing::ElementsAre;
using testing::IsEmpty;

base::instant at(base::duration time) { return base::instant{1h} + time; }

TEST(hints, of_a_majority_wake_one_waiter_at_once) {
    hints waiters{5, 1};
    waiters.add("stock", 1, false);
    waiters.add("stock", 2, false);
    waiters.on_hint(0, 1, at(0ms));
    waiters.on_hint(3, 2, at(0ms));
    EXPECT_THAT(waiters.take_due(at(0ms)), IsEmpty());
    waiters.on_hint(4, 1, at(1ms));
    EXPECT_EQ(waiters.due(), at(1ms));
    EXPECT_THAT(waiters.take_due(at(1ms)), ElementsAre(1));
    EXPECT_EQ(waiters.due(), base::never);
}

TEST(hints, of_a_minority_wake_one_after_some_milliseconds) {
    hints waiters{5, 1};
    waiters.add("stock", 1, false);
    waiters.on_hint(0, 1, at(0ms));
    EXPECT_THAT(waiters.take_due(at(4ms)), IsEmpty());
    EXPECT_THAT(waiters.take_due(at(5ms)), ElementsAre(1));
}

TEST(hints, wake_the_waiters_in_turn) {
    hints waiters{1, 1};
    waiters.add("stock", 1, false);
    waiters.add("stock", 2, false);
    waiters.on_hint(0, 1, at(0ms));
    EXPECT_THAT(waiters.take_due(at(0ms)), ElementsAre(1));
    waiters.on_hint(0, 1, at(1ms));
    EXPECT_THAT(waiters.take_due(at(1ms)), ElementsAre(2));
}

TEST(hints, concern_only_their_name) {
    hints waiters{1, 1};
    waiters.add("stock", 1, false);
    waiters.add("order", 2, false);
    waiters.on_hint(0, 2, at(0ms));
    EXPECT_THAT(waiters.take_due(at(0ms)), ElementsAre(2));
}

TEST(hints, for_nobody_are_ignored) {
    hints waiters{1, 1};
    waiters.on_hint(0, 9, at(0ms));
    waiters.add("stock", 1, false);
    waiters.remove(1, false);
    waiters.on_hint(0, 1, at(0ms));
    EXPECT_EQ(waiters.due(), base::never);
    EXPECT_EQ(waiters.size(), 0U);
}

TEST(hints, before_a_refusal_do_not_count) {
    hints waiters{3, 1};
    waiters.add("stock", 1, false);
    waiters.on_hint(0, 1, at(0ms));
    waiters.add("stock", 1, false); // asked again meanwhile, and was refused
    EXPECT_THAT(waiters.take_due(at(10ms)), IsEmpty());
}

base::duration longest_delay_after(unsigned splits) {
    base::duration longest{0};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        hints waiters{1, seed};
        waiters.add("stock", 1, false);
        for (unsigned count = 0; count < splits; ++count) { waiters.add("stock", 1, true); }
        waiters.on_hint(0, 1, at(0ms));
        longest = std::max(longest, waiters.due() - at(0ms));
    }
    return longest;
}

TEST(hints, are_delayed_at_random_after_split_votes_in_a_growing_range) {
    EXPECT_EQ(longest_delay_after(0), 0ms);
    EXPECT_GT(longest_delay_after(1), 500us);
    EXPECT_LT(longest_delay_after(1), 1ms);
    EXPECT_GT(longest_delay_after(4), 4ms);
    EXPECT_LT(longest_delay_after(4), 8ms);
    EXPECT_LT(longest_delay_after(40), 128ms);
}

TEST(hints, are_prompt_again_after_a_majority_said_no) {
    hints waiters{1, 3};
    waiters.add("stock", 1, true);
    waiters.add("stock", 1, true);
    waiters.add("stock", 1, false);
    waiters.on_hint(0, 1, at(0ms));
    EXPECT_EQ(waiters.due(), at(0ms));
}

} // namespace
