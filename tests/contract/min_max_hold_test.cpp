// min_hold and max_hold: the shortest and the longest time of a hold.
#include "contract/contract.hpp"
#include "holdfast/base/clock.hpp"

namespace {

using namespace holdfast::test;
using holdfast::engine::op_status;

HOLDFAST_CONTRACT(min_hold);

constexpr milliseconds rest = scaled(400ms);

TEST_P(min_hold, keeps_a_lock_that_is_released_early_counting_from_the_grant) { // P7
    HOLDFAST_NEEDS(can().min_hold);
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex theirs{rival, "job"};
    const stopwatch since_asked;
    auto held = holdfast::mutex{fleet, "job"}.acquire({.min_hold = rest});
    const stopwatch since_granted;
    std::this_thread::sleep_for(rest / 2); // the release does not start it anew
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_FALSE(theirs.try_acquire());
    ASSERT_TRUE(eventually([&] { return theirs.try_acquire().has_value(); }));
    EXPECT_GE(since_asked.elapsed(), rest);
    EXPECT_LT(since_granted.elapsed(), rest + scaled(200ms));
}

TEST_P(min_hold, delays_a_waiter_and_then_grants_it) { // P7
    HOLDFAST_NEEDS(can().min_hold);
    auto fleet = connect();
    auto rival = connect();
    const stopwatch since_asked;
    auto held = holdfast::mutex{fleet, "job"}.acquire({.min_hold = rest});
    const stopwatch since_granted;
    background waiter{[&](std::stop_token stop) {
        return holdfast::mutex{rival, "job"}.acquire({.stop = stop}).valid();
    }};
    ASSERT_TRUE(will_wait("job", 1));
    held.release();
    EXPECT_TRUE(waiter.get());
    EXPECT_GE(since_asked.elapsed(), rest);
    EXPECT_LT(since_granted.elapsed(), rest + 1s + scaled(200ms));
}

// It asked again until min_hold was over, and was answered "busy", while others were served.
TEST_P(min_hold, of_a_grant_that_its_waiter_missed_does_not_keep_the_waiter_away) { // P6, P7
    HOLDFAST_NEEDS(can().min_hold && can(holdfast::primitive::semaphore).supported);
    seam_client all{url()};
    request turn{.kind = holdfast::primitive::semaphore,
                 .mode = holdfast::mode::permits,
                 .limit = 2,
                 .lease = 100ms,
                 .min_hold = 30s,
                 .queue = can().queue};
    const auto missed = all.ticket("job");
    ASSERT_EQ(all.acquire(missed, turn).status, op_status::granted);
    std::this_thread::sleep_for(scaled(150ms));
    const auto again = all.acquire(missed, turn);
    EXPECT_EQ(again.status, op_status::busy) << "one permit rests";
    EXPECT_TRUE(again.ticket_ended);
    turn.lease = 30s;
    EXPECT_EQ(all.acquire(all.ticket("job"), turn).status, op_status::granted) << "the other";
    EXPECT_EQ(all.acquire(all.ticket("job"), turn).status, op_status::queued);
}

TEST_P(min_hold, applies_to_the_former_holder_too) { // P7
    HOLDFAST_NEEDS(can().min_hold);
    auto fleet = connect();
    holdfast::mutex job{fleet, "job"};
    job.acquire({.min_hold = 30s}).release();
    EXPECT_FALSE(job.try_acquire());
    EXPECT_FALSE(job.try_acquire_for(20ms));
}

TEST_P(min_hold, outlasts_a_crash_and_a_shorter_lease) { // P7
    HOLDFAST_NEEDS(can().min_hold);
    seam_client crashed{url()};
    seam_client next{url()};
    const stopwatch since_asked;
    ASSERT_EQ(crashed.acquire(crashed.ticket("job"), {.lease = 100ms, .min_hold = rest}).status,
              op_status::granted);
    EXPECT_TRUE(
        eventually([&] { return next.acquire(next.ticket("job")).status == op_status::granted; }));
    EXPECT_GE(since_asked.elapsed(), rest);
    EXPECT_LT(since_asked.elapsed(), rest + scaled(200ms));
}

TEST_P(min_hold, shows_in_inspect_as_resting) {
    HOLDFAST_NEEDS(can().min_hold);
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "job"}.acquire({.min_hold = 30s});
    EXPECT_FALSE(look("job").holders.at(0).resting);
    held.release();
    const auto seen = look("job");
    ASSERT_EQ(seen.holders.size(), 1U);
    EXPECT_TRUE(seen.holders[0].resting);
    EXPECT_GT(seen.holders[0].remaining, 20s);
    EXPECT_EQ(holdfast::admin{fleet}.list().locks.size(), 1U);
}

TEST_P(min_hold, that_is_over_does_not_delay_a_release) { // P7
    HOLDFAST_NEEDS(can().min_hold);
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::mutex{fleet, "job"}.acquire({.min_hold = 100ms});
    std::this_thread::sleep_for(110ms);
    held.release();
    EXPECT_TRUE((holdfast::mutex{rival, "job"}.try_acquire()));
}

TEST_P(min_hold, is_not_shortened_by_a_resent_release) { // P5
    HOLDFAST_NEEDS(can().min_hold);
    seam_client all{url()};
    const auto held = all.ticket("job");
    ASSERT_EQ(all.acquire(held, {.min_hold = 30s}).status, op_status::granted);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_EQ(all.release(held).status, op_status::released);
    EXPECT_EQ(all.acquire(held).status, op_status::busy);
    EXPECT_EQ(all.acquire(all.ticket("job")).status, op_status::busy);
}

HOLDFAST_CONTRACT(max_hold);

TEST_P(max_hold, ends_a_lease_that_would_be_renewed_for_ever) { // P2
    auto fleet = connect();
    auto rival = connect();
    constexpr auto most = 2 * short_lease;
    const stopwatch since_asked;
    const auto held =
        holdfast::mutex{fleet, "stock"}.acquire({.lease = short_lease, .max_hold = most});
    const stopwatch since_granted;
    EXPECT_TRUE(throughout(most / 2, [&] { return held.valid(); }));
    ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_GE(since_asked.elapsed(), most / 2);
    EXPECT_LT(since_granted.elapsed(), most + scaled(20ms));
    EXPECT_FALSE(held.valid());
    EXPECT_EQ(held.why_lost(), holdfast::loss::max_hold);

    EXPECT_TRUE((holdfast::mutex{rival, "stock"}.try_acquire_for(long_wait)));
    EXPECT_LT(since_granted.elapsed(), most + short_lease + 1s + scaled(200ms));
}

TEST_P(max_hold, ends_a_lease_that_is_longer_than_it) { // P2
    auto fleet = connect();
    const stopwatch since_asked;
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 30s, .max_hold = 300ms});
    const stopwatch since_granted;
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_GE(since_asked.elapsed(), 150ms);
    EXPECT_LT(since_granted.elapsed(), 300ms + scaled(20ms));
    EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
    EXPECT_EQ(held.why_lost(), holdfast::loss::max_hold);
}

TEST_P(max_hold, ends_the_lock_of_a_thread) { // P2, P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::mutex stock{fleet, "stock", {.lease = short_lease, .max_hold = 2 * short_lease}};
    stock.lock();
    EXPECT_TRUE(eventually([&] { return stock.lost().stop_requested(); }));
    EXPECT_FALSE(stock.valid());
    stock.unlock();
    EXPECT_TRUE(watch->await(holdfast::event::kind::lost));
    EXPECT_TRUE(watch->await(holdfast::event::kind::unlock_after_loss));
}

TEST_P(max_hold, cannot_be_extended_away) { // P2
    auto fleet = connect();
    auto held = holdfast::mutex{fleet, "stock"}.acquire(
        {.lease = short_lease, .renew = false, .max_hold = 2 * short_lease});
    const stopwatch since_granted;
    std::error_code ignored;
    held.extend(30s, ignored);
    ASSERT_TRUE(eventually([&] { return !held.valid(); }));
    EXPECT_LT(since_granted.elapsed(), 2 * short_lease + scaled(20ms));
}

} // namespace
