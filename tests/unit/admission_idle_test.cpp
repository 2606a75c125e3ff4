// How long the record of an idle name is kept, and what is lost with it.

#include "admission_fixture.hpp"

namespace holdfast::engine::admission {
namespace {

TEST_F(admission, P8_a_released_name_is_forgotten_after_a_minute) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    pass(5s);
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_memory - 1us);
    EXPECT_FALSE(forget());
    EXPECT_EQ(look_again(state, now, wall_us), now + 1s); // not sooner: it must not be a busy loop
    pass(1us);
    EXPECT_TRUE(forget());
}

TEST_F(admission, P8_an_expired_name_is_forgotten_a_minute_after_its_hold_has_ended) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    EXPECT_EQ(look_again(state, now, wall_us), now + 10s + idle_memory);
    pass(10s + idle_memory - 1us);
    EXPECT_FALSE(forget());
    pass(1us);
    EXPECT_TRUE(forget()); // though nobody has looked meanwhile
}

TEST_F(admission, P8_a_broken_name_is_kept_past_the_deadline_of_the_hold_that_was_broken) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(renew(a, 5min), op_status::renewed);
    ASSERT_EQ(break_lock(), op_status::released);
    pass(5min + idle_memory - 1us);
    EXPECT_FALSE(forget());
    pass(1us);
    EXPECT_TRUE(forget());
}

TEST_F(admission, P5_a_name_is_kept_past_the_time_at_which_a_duplicate_may_come) {
    auto first = exclusive(a);
    first.not_after = now + 40s;
    ASSERT_EQ(ask(first), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(40s);
    EXPECT_FALSE(forget());
    EXPECT_EQ(ask(first), op_status::busy); // a duplicate
    pass(idle_memory);
    EXPECT_TRUE(forget());
    EXPECT_EQ(ask(first), op_status::busy); // too late
}

TEST_F(admission, P5_a_name_is_kept_past_the_duplicates_of_a_request_that_was_queued) {
    auto second = exclusive(b);
    second.not_after = now + 40s;
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(ask(second), op_status::queued);
    ASSERT_EQ(release(a), op_status::handed_off);
    ASSERT_EQ(release(b), op_status::released);
    pass(40s + idle_memory - 1us);
    EXPECT_FALSE(forget());
    pass(1us);
    EXPECT_TRUE(forget());
}

TEST_F(admission, P8_a_request_that_may_come_for_hours_does_not_keep_a_name_for_hours) {
    auto patient = exclusive(a);
    patient.not_after = now + 24h;
    ASSERT_EQ(ask(patient), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(2 * idle_memory);
    EXPECT_TRUE(forget());
}

TEST_F(admission, a_request_that_was_refused_keeps_nothing) {
    auto late = exclusive(a);
    late.not_after = now - 1s;
    ASSERT_EQ(ask(late), op_status::busy);
    EXPECT_TRUE(forget());
}

TEST_F(admission, P3_a_name_whose_token_is_ahead_of_the_clock_is_kept_until_a_minute_past_it) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    wall_us -= 3'600'000'000;
    pass(1h);
    EXPECT_FALSE(forget());
    EXPECT_EQ(look_again(state, now, wall_us), now + idle_memory);
    pass(idle_memory);
    EXPECT_TRUE(forget());
}

TEST_F(admission, a_name_in_use_is_not_forgotten) {
    auto job = exclusive(a);
    job.min_hold = 48h;
    ASSERT_EQ(ask(job), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(30h);
    EXPECT_FALSE(forget());
    EXPECT_LE(look_again(state, now, wall_us), now + 10min);
}

TEST_F(admission, P5_a_release_that_is_resent_after_its_name_was_forgotten_finds_nothing) {
    ASSERT_EQ(ask(exclusive(a)), op_status::granted);
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_memory);
    ASSERT_TRUE(forget());
    EXPECT_EQ(release(a), op_status::not_held);
    EXPECT_EQ(withdraw(a), op_status::not_held);
    EXPECT_FALSE(changed);
}

TEST_F(admission, P3_tokens_rise_though_the_name_was_forgotten_and_the_clock_goes_back) {
    std::uint64_t last = 0;
    for (const std::int64_t step_us : {0LL, -3'600'000'000LL, 7'200'000'000LL, -7'200'000'001LL}) {
        wall_us += step_us;
        const auto owner = fresh();
        const auto token = acquire(exclusive(owner)).token;
        EXPECT_GT(token, last);
        last = token;
        ASSERT_EQ(release(owner), op_status::released);
        pass(4h);
        ASSERT_TRUE(forget());
    }
}

TEST_F(admission, P3_a_name_without_a_record_begins_above_the_tokens_of_all_that_were_forgotten) {
    const auto token = acquire(exclusive(a)).token;
    ASSERT_EQ(release(a), op_status::released);
    pass(idle_memory);
    ASSERT_TRUE(forget());
    wall_us -= 3'600'000'000;
    EXPECT_EQ(inspect().last_token, 0U);
    EXPECT_EQ(acquire(reader(b)).token, token + 1);
    EXPECT_EQ(acquire(reader(c)).token, token + 1); // both carry the epoch
}

} // namespace
} // namespace holdfast::engine::admission
