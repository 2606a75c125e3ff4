// How long the record of an idle name is kept, and what follows from its deletion.

#include "admission_fixture.hpp"

#include <limits>

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P8_the_record_of_a_released_name_is_deletable_after_a_minute) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(5s);
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_retention - 1us);
    EXPECT_FALSE(delete_record());
    // Not sooner: it must not be a busy loop.
    EXPECT_EQ(next_idle_check(state, now, wall_us), now + 1s);
    pass(1us);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, P8_the_record_of_an_expired_hold_is_deletable_a_minute_after_its_end) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(next_idle_check(state, now, wall_us), now + 10s + idle_retention);
    pass(10s + idle_retention - 1us);
    EXPECT_FALSE(delete_record());
    pass(1us);
    EXPECT_TRUE(delete_record()); // though there was no operation meanwhile
}

TEST_F(admission, P8_the_record_of_a_resized_semaphore_is_deletable_after_thirty_days) {
    ASSERT_EQ(ask(permits(a, 1)), op_status::granted);
    state.resized.limit = 9;
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_retention + resized_retention - 1us);
    EXPECT_FALSE(delete_record());
    pass(1us);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, an_impossible_token_of_a_damaged_file_is_checked_again_after_ten_minutes) {
    for (const auto token : {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63U,
                             std::uint64_t{1} << 60U}) {
        state.high_water = token;
        EXPECT_EQ(next_idle_check(state, now, wall_us), now + 10min) << token;
        EXPECT_FALSE(is_deletable(state, now, wall_us)) << token;
    }
}

TEST_F(admission, P8_a_record_is_kept_past_the_deadline_of_a_broken_hold) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(renew(a, 5min), op_status::renewed);
    ASSERT_EQ(break_lock(), op_status::released);
    pass(5min + idle_retention - 1us);
    EXPECT_FALSE(delete_record());
    pass(1us);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, P5_a_record_is_kept_as_long_as_a_duplicate_may_arrive) {
    auto first = exclusive(a);
    first.not_after = now + 40s;
    ASSERT_EQ(ask(first), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(40s);
    EXPECT_FALSE(delete_record());
    EXPECT_EQ(ask(first), op_status::busy); // a duplicate
    pass(idle_retention);
    EXPECT_TRUE(delete_record());
    EXPECT_EQ(ask(first), op_status::busy); // too late
}

TEST_F(admission, P5_a_record_is_kept_as_long_as_a_duplicate_of_a_queued_request_may_arrive) {
    auto second = exclusive(b);
    second.not_after = now + 40s;
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(second), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    ASSERT_EQ(release(b), op_status::released);
    pass(40s + idle_retention - 1us);
    EXPECT_FALSE(delete_record());
    pass(1us);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, P8_a_not_after_hours_ahead_does_not_keep_a_record_for_hours) {
    auto patient = exclusive(a);
    patient.not_after = now + 24h;
    ASSERT_EQ(ask(patient), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(2 * idle_retention);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, a_refused_request_keeps_no_record) {
    auto late = exclusive(a);
    late.not_after = now - 1s;
    ASSERT_EQ(ask(late), op_status::busy);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, P3_a_record_whose_token_is_ahead_of_the_clock_is_kept_until_a_minute_past_it) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    wall_us -= 3'600'000'000;
    pass(1h);
    EXPECT_FALSE(delete_record());
    EXPECT_EQ(next_idle_check(state, now, wall_us), now + idle_retention);
    pass(idle_retention);
    EXPECT_TRUE(delete_record());
}

TEST_F(admission, the_record_of_a_name_in_use_is_not_deletable) {
    auto job = exclusive(a);
    job.min_hold = 48h;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(30h);
    EXPECT_FALSE(delete_record());
    EXPECT_LE(next_idle_check(state, now, wall_us), now + 10min);
}

TEST_F(admission, P5_a_release_resent_after_the_record_is_deleted_is_not_held) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_retention);
    ASSERT_TRUE(delete_record());
    EXPECT_EQ(release(a), op_status::not_held);
    EXPECT_EQ(withdraw(a), op_status::not_held);
    EXPECT_FALSE(changed);
}

TEST_F(admission, P3_tokens_rise_when_the_record_is_deleted_and_the_clock_goes_back) {
    std::uint64_t last = 0;
    for (const std::int64_t step_us : {0LL, -3'600'000'000LL, 7'200'000'000LL, -7'200'000'001LL}) {
        wall_us += step_us;
        const auto owner = fresh();
        const auto token = acquire(exclusive(owner)).token;
        EXPECT_GT(token, last);
        last = token;
        ASSERT_EQ(release(owner), op_status::released);
        pass(4h);
        ASSERT_TRUE(delete_record());
    }
}

TEST_F(admission, P3_the_tokens_of_a_name_without_a_record_begin_above_those_of_deleted_records) {
    const auto token = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_retention);
    ASSERT_TRUE(delete_record());
    wall_us -= 3'600'000'000;
    EXPECT_EQ(inspect().last_token, 0U);
    EXPECT_EQ(acquire(reader(b)).token, token + 1);
    EXPECT_EQ(acquire(reader(c)).token, token + 1); // both carry the epoch
}

} // namespace
} // namespace holdfast::engine::admission
