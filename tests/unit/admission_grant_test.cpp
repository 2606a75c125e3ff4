// Which requests are granted, and in which order.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P1_an_exclusive_hold_keeps_everybody_else_out) {
    EXPECT_EQ(ask(writer(a)), op_status::granted);
    EXPECT_EQ(ask(writer(b)), op_status::queued);
    EXPECT_EQ(ask(reader(c)), op_status::queued);
    EXPECT_EQ(holders(), owners{a});
}

TEST_F(admission, P1_readers_share_and_keep_a_writer_out) {
    EXPECT_EQ(ask(reader(a)), op_status::granted);
    EXPECT_EQ(ask(reader(b)), op_status::granted);
    EXPECT_EQ(ask(writer(c)), op_status::queued);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(release(b), op_status::handed_off);
    EXPECT_EQ(holders(), owners{c});
}

TEST_F(admission, P1_permits_are_given_while_their_sum_fits) {
    EXPECT_EQ(ask(permits(a, 2)), op_status::granted);
    EXPECT_EQ(ask(permits(b, 3)), op_status::granted);
    EXPECT_EQ(ask(permits(c, 1)), op_status::queued);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(holders(), (owners{b, c}));
}

TEST_F(admission, a_request_without_queueing_is_busy_and_changes_nothing) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto impatient = exclusive(b);
    impatient.queue = queueing::no;
    EXPECT_EQ(ask(impatient), op_status::busy);
    EXPECT_EQ(state.waiting, 0U);
    EXPECT_FALSE(changed);
}

TEST_F(admission, P6_waiters_are_served_first_in_first_out) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (const auto& owner : {b, c, d}) { ASSERT_EQ(ask(exclusive(owner)), op_status::queued); }
    owners served;
    for (const auto& owner : {a, b, c}) {
        ASSERT_EQ(release(owner), op_status::handed_off);
        served.push_back(holders().at(0));
        EXPECT_EQ(granted_by_notice(), holders());
    }
    EXPECT_EQ(served, (owners{b, c, d}));
    EXPECT_EQ(release(d), op_status::released);
    EXPECT_TRUE(state.idle());
}

TEST_F(admission, P6_a_newcomer_never_passes_a_waiter) {
    ASSERT_EQ(ask(reader(a)), op_status::granted);
    ASSERT_EQ(ask(writer(b)), op_status::queued);
    EXPECT_EQ(ask(reader(c)), op_status::queued); // it would fit, but the writer was first
    auto impatient = reader(d);
    impatient.queue = queueing::no;
    EXPECT_EQ(ask(impatient), op_status::busy);
}

TEST_F(admission, P6_a_head_that_does_not_fit_blocks_those_behind_it) {
    ASSERT_EQ(ask(permits(a, 3)), op_status::granted);
    ASSERT_EQ(ask(permits(b, 2)), op_status::granted);
    ASSERT_EQ(ask(permits(c, 4)), op_status::queued);
    ASSERT_EQ(ask(permits(d, 1)), op_status::queued);
    EXPECT_EQ(release(b), op_status::released); // d would fit, c does not
    EXPECT_EQ(holders(), owners{a});
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(holders(), (owners{c, d}));
}

TEST_F(admission, consecutive_readers_are_granted_together_up_to_the_next_writer) {
    ASSERT_EQ(ask(writer(a)), op_status::granted);
    ASSERT_EQ(ask(reader(b)), op_status::queued);
    ASSERT_EQ(ask(reader(c)), op_status::queued);
    ASSERT_EQ(ask(writer(d)), op_status::queued);
    ASSERT_EQ(ask(reader(owner(5))), op_status::queued);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(granted_by_notice(), (owners{b, c}));
    EXPECT_EQ(state.waiting, 2U);
}

TEST_F(admission, withdrawing_the_head_grants_the_waiters_behind_it) {
    ASSERT_EQ(ask(reader(a)), op_status::granted);
    ASSERT_EQ(ask(writer(b)), op_status::queued);
    ASSERT_EQ(ask(reader(c)), op_status::queued);
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(granted_by_notice(), owners{c});
}

TEST_F(admission, P8_a_withdrawn_waiter_leaves_no_entry) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(state.waiting, 0U);
    EXPECT_EQ(queue.front(), nullptr);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_TRUE(state.idle());
}

TEST_F(admission, a_hand_off_notifies_the_waiter_with_its_number_and_token) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(owner(2, 77))), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    ASSERT_EQ(pushes.size(), 1U);
    EXPECT_EQ(pushes[0].to, b.client);
    EXPECT_EQ(pushes[0].notice.number, 77U);
    EXPECT_EQ(pushes[0].notice.token, state.holds.at(0).token);
}

TEST_F(admission, a_waiter_for_a_hint_is_notified_and_dropped_and_the_next_waiter_is_granted) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto hinted = exclusive(b);
    hinted.queue = queueing::hint;
    ASSERT_EQ(ask(hinted), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(notified(notice::kind::maybe_free), owners{b});
    EXPECT_EQ(granted_by_notice(), owners{c});
    EXPECT_EQ(state.waiting, 0U);
}

TEST_F(admission, a_release_that_only_gives_hints_is_not_a_hand_off) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto hinted = exclusive(b);
    hinted.queue = queueing::hint;
    ASSERT_EQ(ask(hinted), op_status::queued);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_TRUE(state.idle());
    EXPECT_EQ(ask(hinted), op_status::granted);
}

TEST_F(admission, counts_the_waiters_ahead) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(acquire(exclusive(b)).ahead, 0U);
    EXPECT_EQ(acquire(exclusive(c)).ahead, 1U);
    EXPECT_EQ(acquire(exclusive(d)).ahead, 2U);
    ASSERT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(beat(d).ahead, 1U);
    EXPECT_EQ(acquire(exclusive(c)).ahead, 0U);
}

} // namespace
} // namespace holdfast::engine::admission
