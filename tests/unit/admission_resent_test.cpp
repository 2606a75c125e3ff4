// Requests that arrive twice, late, or from another owner.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P5_a_resent_acquire_of_a_holder_is_granted_again_with_the_same_token) {
    const auto first = acquire(exclusive(a));
    pass(1s);
    const auto again = acquire(exclusive(a));
    EXPECT_EQ(again.status, op_status::granted);
    EXPECT_EQ(again.token, first.token);
    EXPECT_EQ(state.holds.size(), 1U);
    EXPECT_EQ(state.holds[0].deadline, now + 10s);
}

TEST_F(admission, P5_a_resent_acquire_never_shortens_the_deadline) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(renew(a, 30s), op_status::renewed);
    EXPECT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(state.holds.at(0).deadline, now + 30s);
    EXPECT_FALSE(changed);
}

TEST_F(admission, P5_a_resent_acquire_of_a_waiter_keeps_its_place_and_counts_as_a_heartbeat) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    pass(2s);
    ASSERT_EQ(beat(c).status, op_status::queued);
    EXPECT_EQ(acquire(exclusive(b)).ahead, 0U);
    EXPECT_EQ(state.waiting, 2U);
    pass(2s);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(holders(), owners{b});
}

TEST_F(admission, P5_a_resent_acquire_after_a_hand_off_is_granted_for_the_whole_lease) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    pass(1s);
    const auto again = acquire(exclusive(b));
    EXPECT_EQ(again.status, op_status::granted);
    EXPECT_EQ(again.token, state.high_water);
    EXPECT_EQ(state.holds.at(0).deadline, now + 10s);
}

TEST_F(admission, P5_an_acquire_after_its_not_after_is_busy_and_changes_nothing) {
    auto late = exclusive(a);
    late.not_after = now - 1ns;
    EXPECT_EQ(ask(late), op_status::busy);
    EXPECT_FALSE(changed);
    EXPECT_TRUE(state.idle());
    late.not_after = now;
    EXPECT_EQ(ask(late), op_status::granted);
}

TEST_F(admission, P5_an_acquire_after_its_not_after_by_the_holder_is_granted_again) {
    auto late = exclusive(a);
    late.not_after = now;
    const auto first = acquire(late);
    pass(1s);
    EXPECT_EQ(acquire(late).token, first.token);
}

TEST_F(admission, P5_a_late_acquire_of_a_waiter_does_not_keep_it_alive) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto late = exclusive(b);
    late.not_after = now;
    ASSERT_EQ(ask(late), op_status::queued);
    pass(2s);
    EXPECT_EQ(ask(late), op_status::busy);
    pass(1s);
    EXPECT_EQ(beat(b).status, op_status::lost);
}

TEST_F(admission, P5_a_duplicate_acquire_after_its_release_does_not_take_the_lock) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(ask(exclusive(a)), op_status::busy);
    EXPECT_TRUE(state.idle());
    EXPECT_EQ(ask(exclusive(owner(1, 2))), op_status::granted); // a new request of the same client
}

TEST_F(admission, P5_a_resent_release_gets_the_same_answer) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(holders(), owners{b});
    EXPECT_EQ(release(b), op_status::released);
    EXPECT_EQ(release(b), op_status::released);
    EXPECT_FALSE(changed);
    EXPECT_EQ(release(a), op_status::not_held); // only the last is remembered
}

TEST_F(admission, P5_a_resent_release_of_a_resting_hold_is_released_again) {
    auto job = permits(a, 1);
    job.min_hold = 20s;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(ask(permits(b, 1)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    ASSERT_EQ(release(b), op_status::released);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(holders(), owners{a});
}

TEST_F(admission, P5_withdraw_releases_a_grant_whose_notice_was_lost_and_it_does_not_rest) {
    auto job = exclusive(b);
    job.min_hold = 5s;
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(job), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(granted_by_notice(), owners{c});
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(ask(job), op_status::busy); // a duplicate of its acquire does not take the lock again
}

TEST_F(admission, P5_withdraw_of_a_waiter_whose_turn_has_come_grants_the_next) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(8s);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    pass(2s); // a has expired, but is not dropped yet
    EXPECT_EQ(withdraw(b), op_status::released);
    EXPECT_EQ(granted_by_notice(), owners{c});
}

TEST_F(admission, P4_only_the_holder_releases_or_renews) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (const auto& stranger : {b, owner(1, 2)}) {
        EXPECT_EQ(release(stranger), op_status::not_held);
        EXPECT_EQ(withdraw(stranger), op_status::not_held);
        EXPECT_EQ(renew(stranger), op_status::lost);
        EXPECT_EQ(beat(stranger).status, op_status::lost);
        EXPECT_FALSE(changed);
    }
    EXPECT_EQ(holders(), owners{a});
}

TEST_F(admission, P4_a_late_release_does_not_touch_the_next_holder) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(10s);
    ASSERT_EQ(ask(exclusive(b)), op_status::granted);
    EXPECT_EQ(release(a), op_status::not_held);
    EXPECT_EQ(withdraw(a), op_status::not_held);
    EXPECT_EQ(holders(), owners{b});
}

TEST_F(admission, P4_a_waiter_can_neither_release_nor_renew) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(release(b), op_status::not_held);
    EXPECT_EQ(renew(b), op_status::lost);
    EXPECT_EQ(beat(b).status, op_status::queued);
}

TEST_F(admission, a_waiter_that_beats_after_its_hand_off_is_answered_granted) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    const auto deadline = state.holds.at(0).deadline;
    pass(1s);
    const auto answer = beat(b); // its notice was lost
    EXPECT_EQ(answer.status, op_status::granted);
    EXPECT_EQ(answer.token, state.high_water);
    EXPECT_EQ(state.holds.at(0).deadline, deadline); // only a renewal prolongs it
}

TEST_F(admission, a_requester_gets_its_grant_in_the_answer_and_no_notice) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(9s);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    pass(1s);
    EXPECT_EQ(beat(b).status, op_status::granted);
    EXPECT_TRUE(pushes.empty());
}

} // namespace
} // namespace holdfast::engine::admission
