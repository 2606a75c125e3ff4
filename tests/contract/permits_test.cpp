// counting_semaphore: at most N permits are granted, all or none of a request, in order.
#include "contract/contract.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::mode;
using holdfast::primitive;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(permits);

[[nodiscard]] request some(unsigned count, unsigned limit) {
    return {.kind = primitive::semaphore,
            .mode = mode::permits,
            .permits = count,
            .limit = limit,
            .queue = queueing::grant};
}

TEST_P(permits, are_given_out_up_to_the_limit) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto first = connect();
    auto second = connect();
    holdfast::counting_semaphore mine{first, "slots", 3};
    holdfast::counting_semaphore theirs{second, "slots", 3};
    EXPECT_EQ(mine.max(), 3U);
    auto permit_1 = mine.acquire();
    const auto permit_2 = theirs.acquire();
    const auto permit_3 = mine.try_acquire();
    EXPECT_TRUE(permit_3);
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_FALSE(theirs.try_acquire_for(20ms));
    EXPECT_EQ(look("slots").limit, 3U);
    permit_1.release();
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(permits, are_taken_all_or_none) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 4};
    const auto third = slots.acquire(3);
    EXPECT_FALSE(slots.try_acquire(2));
    const auto first = slots.try_acquire(1);
    EXPECT_TRUE(first);
    const auto seen = look("slots");
    ASSERT_EQ(seen.holders.size(), 2U);
    EXPECT_EQ(seen.holders[0].permits + seen.holders[1].permits, 4U);
}

TEST_P(permits, never_exceed_the_limit) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    std::atomic<unsigned> out{0};
    std::atomic<unsigned> most{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < 6; ++i) {
            threads.emplace_back([&, want = 1 + i % 2] {
                auto own = connect();
                holdfast::counting_semaphore slots{own, "slots", 3};
                for (int round = 0; round < 15; ++round) {
                    const auto held = slots.acquire(want);
                    const auto now = out.fetch_add(want) + want;
                    for (auto seen = most.load(); now > seen;) {
                        if (most.compare_exchange_weak(seen, now)) { break; }
                    }
                    std::this_thread::yield();
                    out.fetch_sub(want);
                }
            });
        }
    }
    EXPECT_LE(most.load(), 3U);
    EXPECT_TRUE(will_be_clear("slots"));
}

TEST_P(permits, of_a_large_request_are_not_taken_by_small_ones_that_come_later) { // P6
    HOLDFAST_NEEDS(can(primitive::semaphore).fifo);
    seam_client all{url()};
    const auto held = all.ticket("slots");
    const auto large = all.ticket("slots");
    const auto small = all.ticket("slots");
    ASSERT_EQ(all.acquire(held, some(2, 3)).status, op_status::granted);
    ASSERT_EQ(all.acquire(large, some(3, 3)).status, op_status::queued);
    EXPECT_EQ(all.acquire(small, some(1, 3)).status, op_status::queued);
    EXPECT_EQ(all.release(held).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(large).status, op_status::granted);
    EXPECT_EQ(all.wait_on(small).status, op_status::queued);
    EXPECT_EQ(all.release(large).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(small).status, op_status::granted);
}

TEST_P(permits, that_are_released_together_serve_several_at_once) { // P6
    HOLDFAST_NEEDS(can(primitive::semaphore).fifo);
    seam_client all{url()};
    const auto held = all.ticket("slots");
    ASSERT_EQ(all.acquire(held, some(3, 3)).status, op_status::granted);
    std::vector<holdfast::engine::ticket> group;
    for (int i = 0; i < 4; ++i) {
        group.push_back(all.ticket("slots"));
        ASSERT_EQ(all.acquire(group.back(), some(1, 3)).status, op_status::queued);
    }
    EXPECT_EQ(all.release(held).status, op_status::handed_off);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(all.wait_on(group[i]).status, op_status::granted);
    }
    EXPECT_EQ(all.wait_on(group[3]).status, op_status::queued);
}

TEST_P(permits, of_a_crashed_holder_come_back) { // P7
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    seam_client crashed{url()};
    request brief = some(2, 2);
    brief.lease = 150ms;
    ASSERT_EQ(crashed.acquire(crashed.ticket("slots"), brief).status, op_status::granted);
    auto fleet = connect();
    EXPECT_TRUE(
        (holdfast::counting_semaphore{fleet, "slots", 2}.try_acquire_for(2, long_wait, {})));
}

TEST_P(permits, are_renewed_while_held) { // P2
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    auto rival = connect();
    holdfast::counting_semaphore theirs{rival, "slots", 2};
    const auto held =
        holdfast::counting_semaphore{fleet, "slots", 2}.acquire(2, {.lease = short_lease});
    EXPECT_TRUE(throughout(2 * short_lease, [&] { return held.valid() && !theirs.try_acquire(); }));
}

TEST_P(permits, can_be_waited_for_and_the_wait_be_stopped) { // P9
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    auto rival = connect();
    auto held = holdfast::counting_semaphore{fleet, "slots", 2}.acquire(2);
    holdfast::counting_semaphore theirs{rival, "slots", 2};
    background waiter{[&](std::stop_token stop) {
        return failure_of([&] { (void)theirs.acquire(2, {.stop = stop}); });
    }};
    ASSERT_TRUE(will_wait("slots", 1));
    waiter.stop();
    EXPECT_EQ(waiter.get(), errc::cancelled);
    EXPECT_TRUE(will_wait("slots", 0));
}

TEST_P(permits, that_can_never_be_had_are_refused) { // P9
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    for (const unsigned limit : {0U, 10'001U}) {
        const auto make = [&] { holdfast::counting_semaphore{fleet, "slots", limit}; };
        EXPECT_EQ(failure_of(make), errc::invalid_option) << limit;
        EXPECT_NE(complaint_of(make).find("limit"), std::string::npos) << complaint_of(make);
    }
    holdfast::counting_semaphore slots{fleet, "slots", 3};
    for (const unsigned count : {0U, 4U}) {
        const auto take = [&] { (void)slots.try_acquire(count); };
        EXPECT_EQ(failure_of(take), errc::invalid_option) << count;
        EXPECT_NE(complaint_of(take).find("permits"), std::string::npos) << complaint_of(take);
    }
}

TEST_P(permits, that_are_free_can_be_counted) {
    auto first = connect();
    holdfast::counting_semaphore slots{first, "slots", 5};
    if (!can(primitive::semaphore).supported) {
        EXPECT_EQ(failure_of([&] { (void)slots.available(); }), errc::unsupported);
        return;
    }
    EXPECT_EQ(slots.available(), 5U);
    auto three = slots.acquire(3);
    EXPECT_EQ(slots.available(), 2U);
    const auto two = slots.acquire(2);
    std::error_code failure;
    EXPECT_EQ(slots.available(failure), 0U);
    EXPECT_FALSE(failure);
    three.release();
    EXPECT_EQ(slots.available(), 3U);
    const auto held = holdfast::mutex{first, "stock"}.acquire();
    const holdfast::counting_semaphore other{first, "stock", 5};
    EXPECT_EQ(other.available(failure), 0U);
    EXPECT_EQ(failure, errc::wrong_primitive);
}

TEST_P(permits, of_a_semaphore_with_another_limit_cannot_be_counted) {
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    auto fleet = connect();
    holdfast::counting_semaphore slots{fleet, "slots", 3};
    const holdfast::counting_semaphore wrong{fleet, "slots", 5};
    EXPECT_EQ(wrong.available(), 5U) << "nobody uses it yet";
    auto held = slots.acquire();
    if (can(primitive::semaphore).stored_limit) { // the limit has no effect any more
        EXPECT_EQ(wrong.available(), 2U);
        return;
    }
    EXPECT_EQ(failure_of([&] { (void)wrong.available(); }), errc::wrong_limit);
    EXPECT_EQ(slots.available(), 2U);
    if (can(primitive::semaphore).resizes) {
        slots.resize(4);
        EXPECT_EQ(wrong.available(), 3U) << "now it counts for all";
    }
}

} // namespace
