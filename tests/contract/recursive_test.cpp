// recursive_mutex: counted per client, name and thread; to all others a mutex.
#include "contract/contract.hpp"

#include <mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(recursive);

TEST_P(recursive, a_thread_holds_it_until_it_has_unlocked_as_often_as_it_locked) { // P1
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex mine{fleet, "account"};
    holdfast::mutex theirs{rival, "account"};
    EXPECT_EQ(mine.count(), 0U);
    mine.lock();
    const auto token = mine.token();
    EXPECT_TRUE(mine.try_lock());
    EXPECT_TRUE(mine.try_lock_for(1s));
    EXPECT_EQ(mine.count(), 3U);
    EXPECT_EQ(mine.token(), token);
    EXPECT_EQ(look("account").holders.size(), 1U);
    mine.unlock();
    mine.unlock();
    EXPECT_EQ(mine.count(), 1U);
    EXPECT_TRUE(mine.valid());
    EXPECT_FALSE(theirs.try_acquire());
    mine.unlock();
    EXPECT_EQ(mine.count(), 0U);
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(recursive, a_lease_is_not_counted_and_acquire_fails_while_the_mutex_is_locked) {
    auto fleet = connect();
    holdfast::recursive_mutex mine{fleet, "account"};
    holdfast::recursive_mutex same{fleet, "account"};
    {
        const auto lease = mine.acquire();
        EXPECT_TRUE(lease.valid());
        EXPECT_EQ(mine.count(), 0U);
        EXPECT_FALSE(mine.try_lock());
        EXPECT_FALSE(mine.try_acquire());
    }
    mine.lock();
    EXPECT_EQ(failure_of([&] { (void)mine.acquire(); }), errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { (void)same.try_acquire(); }), errc::would_deadlock);
    std::error_code failure;
    EXPECT_FALSE(mine.try_acquire_for(1s, failure));
    EXPECT_EQ(failure, errc::would_deadlock);
    EXPECT_EQ(mine.count(), 1U);
    mine.unlock();
    EXPECT_TRUE(mine.try_acquire());
}

TEST_P(recursive, the_options_of_an_inner_lock_are_checked_as_well) { // P9
    auto fleet = connect();
    holdfast::recursive_mutex mine{fleet, "account"};
    const std::scoped_lock outer{mine};
    EXPECT_EQ(failure_of([&] { mine.lock({.lease = 1ms}); }), errc::invalid_option);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(failure_of([&] { mine.lock({.stop = stop.get_token()}); }), errc::cancelled);
    EXPECT_FALSE(mine.try_lock({.stop = stop.get_token()}));
    EXPECT_EQ(mine.count(), 1U);
}

TEST_P(recursive, two_objects_of_one_client_count_as_one) { // P1
    HOLDFAST_NEEDS(can().fencing);
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex first{fleet, "account"};
    holdfast::recursive_mutex other{fleet, "account"};
    holdfast::mutex theirs{rival, "account"};
    const std::scoped_lock outer{first};
    {
        const std::scoped_lock inner{other};
        EXPECT_EQ(first.count(), 2U);
        EXPECT_EQ(other.count(), 2U);
        EXPECT_EQ(first.token(), other.token());
    }
    EXPECT_EQ(other.count(), 1U);
    EXPECT_FALSE(theirs.try_acquire());
}

TEST_P(recursive, another_thread_of_the_same_client_is_excluded) { // P1, P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::recursive_mutex mine{fleet, "account"};
    const std::scoped_lock outer{mine};
    std::thread{[&] {
        EXPECT_EQ(mine.count(), 0U);
        EXPECT_FALSE(mine.valid());
        EXPECT_FALSE(mine.try_lock());
        EXPECT_FALSE(mine.try_lock_for(20ms));
        EXPECT_EQ(failure_of([&] { (void)mine.token(); }), errc::not_held);
        mine.unlock();
    }}.join();
    EXPECT_TRUE(watch->await(kind::unlock_not_held));
    EXPECT_EQ(mine.count(), 1U);
    EXPECT_TRUE(mine.valid());
}

TEST_P(recursive, another_client_in_the_same_thread_is_excluded) { // P1
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex mine{fleet, "account"};
    holdfast::recursive_mutex theirs{rival, "account"};
    const std::scoped_lock outer{mine};
    EXPECT_FALSE(theirs.try_lock());
    EXPECT_EQ(theirs.count(), 0U);
}

TEST_P(recursive, threads_that_lock_twice_never_overlap) { // P1
    auto fleet = connect();
    holdfast::recursive_mutex guard{fleet, "account"};
    int count = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int round = 0; round < 20; ++round) {
                    const std::scoped_lock outer{guard};
                    const std::scoped_lock inner{guard};
                    ++count;
                }
            });
        }
    }
    EXPECT_EQ(count, 4 * 20);
    EXPECT_TRUE(will_be_clear("account"));
}

TEST_P(recursive, one_unlock_too_many_only_notifies_the_observer) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::recursive_mutex mine{fleet, "account"};
    mine.lock();
    mine.unlock();
    EXPECT_FALSE(watch->first(kind::unlock_not_held));
    mine.unlock();
    EXPECT_TRUE(watch->await(kind::unlock_not_held));
    EXPECT_TRUE(mine.try_lock());
    EXPECT_EQ(mine.count(), 1U);
    mine.unlock();
}

TEST_P(recursive, after_a_loss_it_cannot_be_locked_until_all_is_unlocked) { // P2, P4
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex mine{fleet, "account", {.lease = short_lease, .renew = false}};
    mine.lock();
    mine.lock();
    const auto next = holdfast::mutex{rival, "account"}.acquire();
    EXPECT_FALSE(mine.valid());
    EXPECT_TRUE(eventually([&] { return mine.lost().stop_requested(); }));
    EXPECT_EQ(failure_of([&] { mine.lock(); }), errc::lost);
    std::error_code failure;
    EXPECT_FALSE(mine.try_lock(failure));
    EXPECT_EQ(failure, errc::lost);
    mine.unlock();
    EXPECT_EQ(failure_of([&] { mine.lock(); }), errc::lost);
    mine.unlock();
    EXPECT_TRUE(next.valid());
    EXPECT_FALSE(mine.try_lock()); // held by the other, and no error any more
}

TEST_P(recursive, it_is_renewed_while_held) { // P2
    auto fleet = connect();
    auto rival = connect();
    holdfast::recursive_mutex mine{fleet, "account", {.lease = short_lease}};
    holdfast::mutex theirs{rival, "account"};
    const std::scoped_lock hold{mine};
    EXPECT_TRUE(throughout(2 * short_lease, [&] { return mine.valid() && !theirs.try_acquire(); }));
}

TEST_P(recursive, a_waiting_thread_gets_it_after_the_last_unlock) { // P6
    auto fleet = connect();
    holdfast::recursive_mutex mine{fleet, "account"};
    mine.lock();
    mine.lock();
    background waiter{[&](const std::stop_token&) {
        const bool got = mine.try_lock_for(long_wait);
        if (got) { mine.unlock(); }
        return got;
    }};
    ASSERT_TRUE(will_wait("account", 1));
    mine.unlock();
    EXPECT_FALSE(waiter.done_within(30ms));
    mine.unlock();
    EXPECT_TRUE(waiter.get());
}

} // namespace
