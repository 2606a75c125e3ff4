// The fencing tokens of holders.

#include "admission_fixture.hpp"
#include "holdfast/engine/admission/tokens.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P3_a_token_is_the_time_in_microseconds_if_that_is_higher) {
    EXPECT_EQ(acquire(exclusive(a)).token, static_cast<std::uint64_t>(wall_us));
    ASSERT_EQ(release(a), op_status::released);
    pass(5us);
    EXPECT_EQ(acquire(exclusive(b)).token, static_cast<std::uint64_t>(wall_us));
}

TEST_F(admission, P3_tokens_rise_though_the_clock_stands_or_goes_back) {
    const auto first = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(acquire(exclusive(b)).token, first + 1);
    ASSERT_EQ(release(b), op_status::released);
    wall_us -= 3'600'000'000;
    EXPECT_EQ(acquire(exclusive(c)).token, first + 2);
}

TEST_F(admission, P3_a_token_is_never_0) {
    wall_us = 0;
    EXPECT_EQ(acquire(reader(a)).token, 1U);
    ASSERT_EQ(release(a), op_status::released);
    wall_us = -5;
    EXPECT_EQ(acquire(exclusive(b)).token, 2U);
}

TEST_F(admission, P3_tokens_rise_over_hand_off_expiry_and_break) {
    auto last = acquire(exclusive(a)).token;
    const auto risen = [&] { return std::exchange(last, state.holds.at(0).token) < last; };
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_TRUE(risen());
    pass(hand_off_lease);
    ASSERT_EQ(ask(exclusive(c)), op_status::granted);
    EXPECT_TRUE(risen());
    ASSERT_EQ(break_lock(), op_status::released);
    ASSERT_EQ(ask(exclusive(d)), op_status::granted);
    EXPECT_TRUE(risen());
}

TEST_F(admission, P3_readers_carry_the_epoch_of_the_last_writer) {
    const auto written = acquire(writer(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    pass(1s);
    EXPECT_EQ(acquire(reader(b)).token, written);
    EXPECT_EQ(acquire(reader(c)).token, written);
    ASSERT_EQ(release(b), op_status::released);
    ASSERT_EQ(release(c), op_status::released);
    EXPECT_GT(acquire(writer(d)).token, written);
}

TEST_F(admission, P3_readers_before_any_writer_share_a_token_below_the_first_writers) {
    const auto first = acquire(reader(a)).token;
    EXPECT_EQ(first, static_cast<std::uint64_t>(wall_us));
    pass(1s);
    EXPECT_EQ(acquire(reader(b)).token, first);
    ASSERT_EQ(release(a), op_status::released);
    ASSERT_EQ(release(b), op_status::released);
    wall_us -= 10'000'000;
    EXPECT_EQ(acquire(writer(c)).token, first + 1);
}

TEST_F(admission, permits_have_unique_tokens) {
    const auto first = acquire(permits(a, 1)).token;
    EXPECT_EQ(acquire(permits(b, 1)).token, first + 1);
    EXPECT_EQ(acquire(permits(c, 1)).token, first + 2);
}

TEST_F(admission, P3_readers_carry_the_last_exclusive_token_though_permits_came_between) {
    const auto written = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    ASSERT_GT(acquire(permits(b, 1)).token, written);
    ASSERT_EQ(release(b), op_status::released);
    EXPECT_EQ(acquire(reader(c)).token, written);
}

TEST_F(admission, a_token_that_a_double_would_round_is_refused) {
    wall_us = static_cast<std::int64_t>(token_end);
    const auto answer = acquire(exclusive(a));
    EXPECT_EQ(answer.status, op_status::failed);
    EXPECT_EQ(answer.error, errc::internal);
    EXPECT_TRUE(state.idle());
    wall_us -= 1;
    EXPECT_EQ(acquire(exclusive(a)).token, token_end - 1);
}

TEST_F(admission, a_waiter_is_not_handed_a_token_that_a_double_would_round) {
    wall_us = static_cast<std::int64_t>(token_end - 1);
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_TRUE(state.holds.empty());
}

TEST_F(admission, a_proposed_token_is_used_if_it_is_above_all_earlier_tokens) {
    const auto clock = static_cast<std::uint64_t>(wall_us);
    auto vote = exclusive(a);
    vote.queue = queueing::no;
    vote.proposed_token = clock - 100;
    EXPECT_EQ(acquire(vote).token, clock - 100);
    EXPECT_EQ(acquire(vote).token, clock - 100); // resent
    ASSERT_EQ(release(a), op_status::released);
    vote.ticket.owner = b;
    const auto rejected = acquire(vote);
    EXPECT_EQ(rejected.status, op_status::busy);
    EXPECT_EQ(rejected.token, clock - 100); // the next proposal must be above it
    vote.proposed_token = clock - 99;
    EXPECT_EQ(acquire(vote).token, clock - 99);
    EXPECT_EQ(state.high_water, clock - 99);
}

TEST_F(admission, P3_without_a_record_a_proposed_token_must_be_near_the_clock) {
    const auto clock = static_cast<std::uint64_t>(wall_us);
    auto vote = exclusive(a);
    vote.queue = queueing::no;
    vote.proposed_token = clock - proposal_window_us;
    const auto low = acquire(vote);
    EXPECT_EQ(low.status, op_status::busy);
    EXPECT_EQ(low.token, clock);
    vote.proposed_token = clock + proposal_window_us + 1;
    EXPECT_EQ(acquire(vote).error, errc::invalid_option);
    EXPECT_TRUE(state.idle());
    vote.proposed_token = clock + proposal_window_us;
    EXPECT_EQ(acquire(vote).token, clock + proposal_window_us);
    ASSERT_EQ(release(a), op_status::released);
    // The record is kept until any proposal near the clock is above its token.
    pass(idle_retention);
    EXPECT_FALSE(delete_record());
    pass(30s);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, a_proposed_token_does_not_read_the_mark) {
    state.floor = static_cast<std::uint64_t>(wall_us) + 1'000'000;
    auto vote = exclusive(a);
    vote.queue = queueing::no;
    vote.proposed_token = static_cast<std::uint64_t>(wall_us);
    EXPECT_EQ(acquire(vote).status, op_status::granted);
}

TEST_F(admission, a_proposed_token_is_refused_if_out_of_range_or_not_exclusive_without_hand_off) {
    auto vote = exclusive(a);
    vote.proposed_token = 100;
    EXPECT_EQ(acquire(vote).error, errc::unsupported); // with hand-off
    vote.queue = queueing::hint;
    vote.proposed_token = token_end;
    EXPECT_EQ(acquire(vote).error, errc::invalid_option);
    auto read = reader(a);
    read.queue = queueing::no;
    read.proposed_token = 100;
    EXPECT_EQ(acquire(read).error, errc::unsupported);
}

} // namespace
} // namespace holdfast::engine::admission
