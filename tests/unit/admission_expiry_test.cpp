// Holds and waiters that end by time or with their client: leases, min_hold, heartbeats.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P7_a_hold_ends_at_its_deadline_and_not_before) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(8s);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    pass(2s - 1ns);
    EXPECT_EQ(beat(b).status, op_status::queued);
    pass(1ns);
    EXPECT_EQ(beat(b).status, op_status::granted);
    EXPECT_EQ(holders(), owners{b});
}

TEST_F(admission, a_renewal_counts_from_now_and_may_shorten) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(9s);
    EXPECT_EQ(renew(a), op_status::renewed);
    EXPECT_EQ(state.holds.at(0).deadline, now + 10s);
    EXPECT_EQ(renew(a, 1s), op_status::renewed);
    pass(1s);
    EXPECT_EQ(ask(exclusive(b)), op_status::granted);
}

TEST_F(admission, a_renewal_after_the_deadline_is_lost_even_if_nobody_took_over) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(10s);
    EXPECT_EQ(renew(a), op_status::lost);
    EXPECT_TRUE(state.idle());
}

TEST_F(admission, P6_a_hand_off_holds_briefly_until_the_first_renewal) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(state.holds.at(0).deadline, now + hand_off_lease);
    pass(hand_off_lease); // b is stopped: c waits no longer than this
    EXPECT_EQ(beat(c).status, op_status::granted);
    EXPECT_EQ(renew(b), op_status::lost);
}

TEST_F(admission, a_hand_off_holds_no_longer_than_the_lease) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto brief = exclusive(b);
    brief.lease = 500ms;
    ASSERT_EQ(ask(brief), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(state.holds.at(0).deadline, now + 500ms);
}

TEST_F(admission, a_released_hold_rests_until_min_hold_has_passed) {
    auto job = exclusive(a);
    job.min_hold = 5s;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    pass(1s);
    EXPECT_EQ(release(a), op_status::released);
    EXPECT_EQ(beat(b).status, op_status::queued);
    EXPECT_EQ(beat(b).check_in, 4s); // not the lease's end
    pass(2s);
    EXPECT_EQ(renew(a), op_status::lost);
    EXPECT_EQ(beat(b).status, op_status::queued);
    pass(2s);
    EXPECT_EQ(beat(b).status, op_status::granted);
}

TEST_F(admission, P7_an_expired_hold_rests_until_min_hold_has_passed) {
    auto job = exclusive(a);
    job.min_hold = 15s;
    ASSERT_EQ(ask(job), op_status::granted);
    pass(12s);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_EQ(renew(a), op_status::lost);
    EXPECT_EQ(release(a), op_status::not_held);
    EXPECT_EQ(ask(job), op_status::busy);
    EXPECT_TRUE(inspect().holders.at(0).resting);
    EXPECT_EQ(inspect().holders.at(0).remaining, 3s);
    pass(2900ms);
    EXPECT_EQ(beat(b).status, op_status::queued);
    pass(100ms);
    EXPECT_EQ(beat(b).status, op_status::granted);
}

TEST_F(admission, min_hold_of_a_hand_off_counts_from_the_grant) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    auto job = exclusive(b);
    job.min_hold = 5s;
    ASSERT_EQ(ask(job), op_status::queued);
    pass(2s);
    ASSERT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(state.holds.at(0).rest_until, now + 5s);
}

TEST_F(admission, a_dead_clients_holds_end_at_once) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    clients.dead.insert(a.client);
    EXPECT_EQ(beat(b).status, op_status::granted);
}

TEST_F(admission, a_dead_clients_hold_still_rests) {
    auto job = exclusive(a);
    job.min_hold = 5s;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    clients.dead.insert(a.client);
    EXPECT_EQ(beat(b).status, op_status::queued);
    EXPECT_TRUE(changed);
    EXPECT_EQ(beat(b).status, op_status::queued);
    EXPECT_FALSE(changed);
    EXPECT_EQ(beat(b).check_in, 5s);
    pass(2s);
    ASSERT_EQ(beat(b).status, op_status::queued);
    pass(3s - 1ns);
    EXPECT_EQ(ask(exclusive(c)), op_status::queued);
    pass(1ns);
    EXPECT_EQ(beat(c).status, op_status::granted); // b did not beat for 3 s
}

TEST_F(admission, P8_a_waiter_that_does_not_beat_is_dropped) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    pass(waiter_timeout - 1ns);
    EXPECT_EQ(beat(c).status, op_status::queued);
    pass(1ns);
    EXPECT_EQ(beat(b).status, op_status::lost);
    EXPECT_EQ(release(a), op_status::handed_off);
    EXPECT_EQ(holders(), owners{c});
}

TEST_F(admission, a_waiter_that_beats_late_but_before_it_is_dropped_keeps_its_place) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (const auto& owner : {b, c, d}) { ASSERT_EQ(ask(exclusive(owner)), op_status::queued); }
    pass(2s);
    ASSERT_EQ(beat(b).status, op_status::queued);
    pass(1s); // c and d are late, but b is still before them
    EXPECT_EQ(beat(c).status, op_status::queued);
    EXPECT_EQ(beat(c).ahead, 1U);
}

TEST_F(admission, P8_inspect_drops_a_dead_waiter_in_the_middle) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (const auto& owner : {b, c, d}) { ASSERT_EQ(ask(exclusive(owner)), op_status::queued); }
    clients.dead.insert(c.client);
    const auto waiters = inspect().waiters;
    ASSERT_EQ(waiters.size(), 2U);
    EXPECT_EQ(waiters[1].owner, d.text());
    EXPECT_EQ(state.waiting, 2U);
}

TEST_F(admission, dead_waiters_do_not_keep_a_newcomer_waiting) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    for (const auto& owner : {b, c}) { ASSERT_EQ(ask(exclusive(owner)), op_status::queued); }
    clients.dead = {a.client, b.client, c.client};
    EXPECT_EQ(ask(exclusive(d)), op_status::granted);
    EXPECT_TRUE(pushes.empty());
}

TEST_F(admission, only_the_first_waiters_get_a_check_in) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(4s);
    EXPECT_EQ(acquire(exclusive(b)).check_in, 6s);
    for (std::uint8_t i = 10; i < 13; ++i) { EXPECT_EQ(acquire(exclusive(owner(i))).check_in, 6s); }
    EXPECT_EQ(acquire(exclusive(c)).check_in, 0s);
    ASSERT_EQ(renew(a, 20s), op_status::renewed);
    EXPECT_EQ(beat(b).check_in, 20s);
}

TEST_F(admission, check_in_is_when_the_first_of_several_holds_ends) {
    ASSERT_EQ(ask(permits(a, 3)), op_status::granted);
    pass(1s);
    ASSERT_EQ(ask(permits(b, 2)), op_status::granted);
    EXPECT_EQ(acquire(permits(c, 1)).check_in, 9s);
}

TEST_F(admission, a_renewal_with_a_lease_out_of_range_fails_and_changes_nothing) {
    auto longest = exclusive(a);
    longest.lease = limits::longest_lease;
    longest.min_hold = limits::longest_hold;
    ASSERT_EQ(ask(longest), op_status::granted);
    EXPECT_EQ(renew(a, 0ms), op_status::failed);
    EXPECT_EQ(renew(a, base::milliseconds::max()), op_status::failed);
    EXPECT_EQ(state.holds.at(0).deadline, now + limits::longest_lease);
}

} // namespace
} // namespace holdfast::engine::admission
