// The admission rule in its modes: exclusive, shared and permits.
#include "contract/contract.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::mode;
using holdfast::primitive;
using holdfast::engine::op_status;
using holdfast::engine::queueing;

HOLDFAST_CONTRACT(readers_and_writers);

const request reader{
    .kind = primitive::shared_mutex, .mode = mode::shared, .queue = queueing::grant};
const request writer{.kind = primitive::shared_mutex, .queue = queueing::grant};

TEST_P(readers_and_writers, readers_share_and_writers_do_not) { // P1
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto first = connect();
    auto second = connect();
    holdfast::shared_mutex mine{first, "prices"};
    holdfast::shared_mutex theirs{second, "prices"};
    {
        const auto shared = mine.acquire_shared();
        const auto other = theirs.try_acquire_shared();
        EXPECT_TRUE(other);
        EXPECT_FALSE(theirs.try_acquire());
        EXPECT_FALSE(theirs.try_acquire_for(20ms));
    }
    const auto alone = mine.acquire();
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(theirs.try_acquire_shared());
    EXPECT_FALSE(theirs.try_acquire_shared_for(20ms));
}

TEST_P(readers_and_writers, work_with_shared_lock_and_unique_lock) { // P1
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto first = connect();
    auto second = connect();
    holdfast::shared_mutex mine{first, "prices"};
    holdfast::shared_mutex theirs{second, "prices"};
    {
        const std::shared_lock reading{mine};
        EXPECT_TRUE((std::shared_lock{theirs, std::try_to_lock}.owns_lock()));
        EXPECT_FALSE((std::unique_lock{theirs, std::try_to_lock}.owns_lock()));
        EXPECT_FALSE((std::unique_lock{theirs, 20ms}.owns_lock()));
    }
    const std::unique_lock writing{mine};
    EXPECT_FALSE((std::shared_lock{theirs, std::try_to_lock}.owns_lock()));
    EXPECT_FALSE((std::shared_lock{theirs, 20ms}.owns_lock()));
}

TEST_P(readers_and_writers, never_overlap) { // P1
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    std::atomic<int> readers{0};
    std::atomic<int> writers{0};
    std::atomic<int> overlaps{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 5; ++i) {
            threads.emplace_back([&, i] {
                auto own = connect();
                holdfast::shared_mutex prices{own, "prices"};
                for (int round = 0; round < 15; ++round) {
                    if (i < 3) {
                        const std::shared_lock reading{prices};
                        ++readers;
                        if (writers != 0) { ++overlaps; }
                        std::this_thread::yield();
                        --readers;
                    } else {
                        const std::lock_guard writing{prices};
                        if (writers.fetch_add(1) != 0 || readers != 0) { ++overlaps; }
                        std::this_thread::yield();
                        --writers;
                    }
                }
            });
        }
    }
    EXPECT_EQ(overlaps.load(), 0);
    EXPECT_TRUE(will_be_clear("prices"));
}

TEST_P(readers_and_writers, a_later_reader_does_not_pass_a_waiting_writer) { // P6
    HOLDFAST_NEEDS(can(primitive::shared_mutex).fifo);
    seam_client all{url()};
    const auto reading = all.ticket("prices");
    const auto writing = all.ticket("prices");
    const auto late = all.ticket("prices");
    ASSERT_EQ(all.acquire(reading, reader).status, op_status::granted);
    ASSERT_EQ(all.acquire(writing, writer).status, op_status::queued);
    ASSERT_EQ(all.acquire(late, reader).status, op_status::queued);
    request impatient = reader;
    impatient.queue = queueing::no;
    EXPECT_EQ(all.acquire(all.ticket("prices"), impatient).status, op_status::busy);

    EXPECT_EQ(all.release(reading).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(writing).status, op_status::granted);
    EXPECT_EQ(all.wait_on(late).status, op_status::queued);
    EXPECT_EQ(all.release(writing).status, op_status::handed_off);
    EXPECT_EQ(all.wait_on(late).status, op_status::granted);
}

TEST_P(readers_and_writers, consecutive_readers_in_the_queue_are_granted_together) { // P6
    HOLDFAST_NEEDS(can(primitive::shared_mutex).fifo);
    seam_client all{url()};
    const auto writing = all.ticket("prices");
    ASSERT_EQ(all.acquire(writing, writer).status, op_status::granted);
    std::vector<holdfast::engine::ticket> group;
    for (int i = 0; i < 3; ++i) {
        group.push_back(all.ticket("prices"));
        ASSERT_EQ(all.acquire(group.back(), reader).status, op_status::queued);
    }
    const auto last = all.ticket("prices");
    ASSERT_EQ(all.acquire(last, writer).status, op_status::queued);

    EXPECT_EQ(all.release(writing).status, op_status::handed_off);
    EXPECT_EQ(all.inspect("prices").holders.size(), 3U);
    for (const auto& ticket : group) { EXPECT_EQ(all.wait_on(ticket).status, op_status::granted); }
    EXPECT_EQ(all.wait_on(last).status, op_status::queued);
    for (const auto& ticket : group) { (void)all.release(ticket); }
    EXPECT_EQ(all.wait_on(last).status, op_status::granted);
}

TEST_P(readers_and_writers, a_writer_that_times_out_lets_the_readers_behind_it_proceed) { // P6, P8
    HOLDFAST_NEEDS(can(primitive::shared_mutex).fifo);
    seam_client all{url()};
    const auto reading = all.ticket("prices");
    const auto writing = all.ticket("prices");
    const auto late = all.ticket("prices");
    ASSERT_EQ(all.acquire(reading, reader).status, op_status::granted);
    ASSERT_EQ(all.acquire(writing, writer).status, op_status::queued);
    ASSERT_EQ(all.acquire(late, reader).status, op_status::queued);
    EXPECT_EQ(all.withdraw(writing).status, op_status::released);
    EXPECT_TRUE(all.await(grant_notice(), late));
}

TEST_P(readers_and_writers, one_thread_that_wants_both_modes_gets_would_deadlock) { // P9
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto fleet = connect();
    holdfast::shared_mutex prices{fleet, "prices"};
    {
        const std::shared_lock reading{prices};
        EXPECT_EQ(failure_of([&] { prices.lock(); }), errc::would_deadlock);
    }
    const std::lock_guard writing{prices};
    EXPECT_EQ(failure_of([&] { prices.lock_shared(); }), errc::would_deadlock);
}

HOLDFAST_CONTRACT(other_use);

TEST_P(other_use, of_a_name_as_another_primitive_is_an_error_while_it_is_in_use) { // P1
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported && can(primitive::semaphore).supported);
    HOLDFAST_NEEDS(can().checks_use);
    auto fleet = connect();
    holdfast::mutex as_mutex{fleet, "name"};
    holdfast::shared_mutex as_shared{fleet, "name"};
    holdfast::counting_semaphore as_semaphore{fleet, "name", 3};
    {
        const auto held = as_mutex.acquire();
        EXPECT_EQ(failure_of([&] { (void)as_shared.try_acquire(); }), errc::wrong_primitive);
        EXPECT_EQ(failure_of([&] { (void)as_shared.acquire_shared(); }), errc::wrong_primitive);
        EXPECT_EQ(failure_of([&] { (void)as_semaphore.acquire(); }), errc::wrong_primitive);
        EXPECT_TRUE(held.valid());
    }
    {
        const auto permit = as_semaphore.acquire();
        std::error_code failure;
        EXPECT_FALSE(as_mutex.try_acquire(failure));
        EXPECT_EQ(failure, errc::wrong_primitive);
        EXPECT_FALSE(as_mutex.try_lock(failure));
        EXPECT_EQ(failure, errc::wrong_primitive);
    }
    EXPECT_TRUE(as_shared.try_acquire());
}

TEST_P(other_use, of_a_mutex_as_a_shared_mutex_is_an_error_and_soon_told) { // P1, P9
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    HOLDFAST_NEEDS(can().checks_use);
    auto fleet = connect();
    holdfast::mutex as_mutex{fleet, "name"};
    holdfast::shared_mutex as_shared{fleet, "name"};
    auto held = as_mutex.acquire();
    const stopwatch watch;
    const auto complaint = complaint_of([&] { as_shared.lock(); });
    EXPECT_NE(complaint.find("in use as a mutex"), std::string::npos) << complaint;
    EXPECT_EQ(failure_of([&] { (void)as_shared.try_acquire(); }), errc::wrong_primitive);
    EXPECT_LT(watch.elapsed(), scaled(2s));
    held.release();
    const auto reading = as_shared.acquire_shared();
    EXPECT_EQ(failure_of([&] { as_mutex.lock(); }), errc::wrong_primitive);
}

TEST_P(other_use, of_a_semaphore_with_another_limit_is_an_error_while_permits_are_out) { // P1
    HOLDFAST_NEEDS(can(primitive::semaphore).supported);
    HOLDFAST_NEEDS(can().checks_use);
    auto fleet = connect();
    holdfast::counting_semaphore three{fleet, "slots", 3};
    holdfast::counting_semaphore four{fleet, "slots", 4};
    {
        const auto held = three.acquire();
        EXPECT_EQ(failure_of([&] { (void)four.acquire(); }), errc::wrong_limit);
    }
    EXPECT_TRUE(four.try_acquire());
}

TEST_P(other_use, of_a_name_as_a_recursive_mutex_is_use_as_a_mutex) { // P1
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex again{fleet, "name"};
    const std::lock_guard hold{again};
    EXPECT_FALSE((holdfast::mutex{rival, "name"}.try_acquire()));
}

} // namespace
