// Break, inspect, and when the record counts as changed.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, break_ends_the_hold_notifies_the_holder_and_grants_the_next_waiter) {
    const auto token = acquire(exclusive(a)).token;
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(ask(exclusive(c)), op_status::queued);
    EXPECT_EQ(break_lock(), op_status::released);
    EXPECT_EQ(notified(notice::kind::broken), owners{a});
    EXPECT_EQ(pushes.at(0).notice.token, token);
    EXPECT_EQ(granted_by_notice(), owners{b});
    EXPECT_EQ(state.waiting, 1U); // the queue stays
    EXPECT_EQ(renew(a), op_status::lost);
    EXPECT_EQ(release(a), op_status::not_held);
}

TEST_F(admission, break_of_a_grant_that_its_waiter_has_not_heard_of_ends_its_ticket) { // P7
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    ASSERT_EQ(break_lock(), op_status::released);
    const auto again = acquire(exclusive(b));
    EXPECT_EQ(again.status, op_status::busy);
    EXPECT_TRUE(again.ticket_ended);
    auto late = exclusive(c);
    late.not_after = now - 1s;
    EXPECT_FALSE(acquire(late).ticket_ended) << "its next request may be in time";
    EXPECT_EQ(ask(exclusive(c)), op_status::granted);
}

TEST_F(admission, break_of_a_name_that_is_not_held_changes_nothing) {
    EXPECT_EQ(break_lock(), op_status::not_held);
    EXPECT_FALSE(changed);
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(break_lock(state.high_water + 1), op_status::not_held);
    EXPECT_EQ(holders(), owners{a});
}

TEST_F(admission, break_spares_the_waiter_that_is_granted_after_an_expired_hold) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(9s);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    pass(1s);
    EXPECT_EQ(break_lock(), op_status::not_held); // a has expired, but is not dropped yet
    EXPECT_EQ(granted_by_notice(), owners{b});
    EXPECT_EQ(notified(notice::kind::broken), owners{});
}

TEST_F(admission, break_by_token_ends_only_that_hold) {
    ASSERT_EQ(ask(permits(a, 1)), op_status::granted);
    const auto token = acquire(permits(b, 1)).token;
    ASSERT_EQ(ask(permits(c, 1)), op_status::granted);
    EXPECT_EQ(break_lock(token), op_status::released);
    EXPECT_EQ(holders(), (owners{a, c}));
}

TEST_F(admission, break_of_a_shared_hold_ends_the_holds_of_all_readers) {
    ASSERT_EQ(ask(reader(a)), op_status::granted);
    ASSERT_EQ(ask(reader(b)), op_status::granted);
    EXPECT_EQ(break_lock(), op_status::released);
    EXPECT_EQ(notified(notice::kind::broken), (owners{a, b}));
    EXPECT_TRUE(state.idle());
}

TEST_F(admission, break_ends_a_resting_hold_without_a_notice) {
    auto job = exclusive(a);
    job.min_hold = 1h;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    EXPECT_EQ(break_lock(), op_status::released);
    EXPECT_TRUE(pushes.empty());
    EXPECT_EQ(ask(exclusive(b)), op_status::granted);
}

TEST_F(admission, inspect_shows_holders_and_waiters_in_order) {
    auto first = writer(a);
    first.note = "nightly report";
    const auto since = wall_us;
    const auto token = acquire(first).token;
    pass(1s);
    ASSERT_EQ(ask(reader(b)), op_status::queued);
    ASSERT_EQ(ask(writer(c)), op_status::queued);
    pass(500ms);
    const auto info = inspect();
    EXPECT_EQ(info.name, "stock:1001");
    EXPECT_EQ(info.kind, primitive::shared_mutex);
    EXPECT_EQ(info.last_token, token);
    ASSERT_EQ(info.holders.size(), 1U);
    const party& holder = info.holders[0];
    EXPECT_EQ(holder.owner, a.text());
    EXPECT_EQ(holder.token, token);
    EXPECT_EQ(holder.host, "host");
    EXPECT_EQ(holder.pid, 7);
    EXPECT_EQ(holder.note, "nightly report");
    EXPECT_EQ(holder.since.time_since_epoch(), std::chrono::microseconds{since});
    EXPECT_EQ(holder.remaining, 8500ms);
    EXPECT_FALSE(holder.resting);
    ASSERT_EQ(info.waiters.size(), 2U);
    EXPECT_EQ(info.waiters[0].owner, b.text());
    EXPECT_EQ(info.waiters[0].mode, mode::shared);
    EXPECT_EQ(info.waiters[0].token, 0U);
    EXPECT_EQ(info.waiters[0].remaining, 2500ms);
    EXPECT_EQ(info.waiters[1].owner, c.text());
    EXPECT_FALSE(changed);
}

TEST_F(admission, inspect_does_not_show_what_has_ended) {
    ASSERT_EQ(ask(permits(a, 2)), op_status::granted);
    pass(10s);
    const auto info = inspect();
    EXPECT_TRUE(info.holders.empty());
    EXPECT_EQ(info.limit, 5U);
    EXPECT_TRUE(changed);
}

TEST_F(admission, changed_is_false_when_the_record_is_unchanged) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_TRUE(changed);
    ASSERT_EQ(ask(exclusive(b)), op_status::queued);
    EXPECT_TRUE(changed); // the number of waiters
    ASSERT_EQ(beat(b).status, op_status::queued);
    EXPECT_FALSE(changed); // only the queue
    ASSERT_EQ(renew(a), op_status::renewed);
    EXPECT_TRUE(changed);
    ASSERT_EQ(renew(c), op_status::lost);
    EXPECT_FALSE(changed);
}

} // namespace
} // namespace holdfast::engine::admission
