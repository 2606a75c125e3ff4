// lock_all and scoped_lock_all: several locks as holds of the calling thread.
#include "contract/contract.hpp"

#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;

HOLDFAST_CONTRACT(lock_all);

TEST_P(lock_all, locks_all_or_none) { // P1
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::mutex b{mine, "b"};
    holdfast::mutex other{theirs, "a"};
    other.lock();
    EXPECT_FALSE(holdfast::try_lock_all(b, a));
    EXPECT_FALSE(holdfast::try_lock_all_for(30ms, b, a));
    EXPECT_FALSE(a.valid());
    EXPECT_FALSE(b.valid());
    EXPECT_TRUE(is_free("b"));
    other.unlock();
    holdfast::lock_all(b, a);
    EXPECT_TRUE(a.valid());
    EXPECT_TRUE(b.valid());
    EXPECT_FALSE(is_free("a"));
    EXPECT_FALSE(is_free("b"));
    holdfast::unlock_all(a, b);
    EXPECT_FALSE(a.valid());
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b"));
}

TEST_P(lock_all, is_undone_by_the_guard) { // P2
    auto mine = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::recursive_mutex b{mine, "b"};
    {
        const holdfast::scoped_lock_all both{a, b};
        EXPECT_TRUE(a.valid() && b.valid());
        EXPECT_FALSE(is_free("b"));
    }
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b"));
}

TEST_P(lock_all, works_with_writers_of_a_shared_mutex) { // P1
    HOLDFAST_NEEDS(can(holdfast::primitive::shared_mutex).supported);
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::shared_mutex prices{mine, "prices"};
    holdfast::shared_mutex reader{theirs, "prices"};
    {
        const holdfast::scoped_lock_all both{prices, a};
        EXPECT_FALSE(reader.try_acquire_shared());
    }
    const auto reading = reader.acquire_shared();
    EXPECT_FALSE(holdfast::try_lock_all(a, prices));
    EXPECT_TRUE(is_free("a"));
}

TEST_P(lock_all, refuses_what_would_wait_for_itself) {
    auto mine = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::mutex b{mine, "b"};
    holdfast::mutex twin{mine, "b"};
    EXPECT_EQ(failure_of([&] { holdfast::lock_all(a, b, twin); }), errc::would_deadlock);
    EXPECT_TRUE(is_free("a"));
    twin.lock();
    EXPECT_EQ(failure_of([&] { holdfast::lock_all(a, b); }), errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { (void)holdfast::try_lock_all(a, b); }), errc::would_deadlock);
    EXPECT_TRUE(is_free("a"));
    twin.unlock();
    auto theirs = connect();
    holdfast::mutex foreign{theirs, "c"};
    EXPECT_EQ(failure_of([&] { holdfast::lock_all(a, foreign); }), errc::invalid_option);
}

TEST_P(lock_all, counts_recursive_mutexes) {
    auto mine = connect();
    auto theirs = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::recursive_mutex b{mine, "b"};
    holdfast::recursive_mutex twin{mine, "b"};
    b.lock();
    {
        holdfast::mutex other{theirs, "a"};
        const auto held = other.acquire();
        EXPECT_FALSE(holdfast::try_lock_all(a, b));
    }
    EXPECT_EQ(b.count(), 1U) << "undone";
    holdfast::lock_all(a, b, twin);
    EXPECT_EQ(b.count(), 3U);
    holdfast::unlock_all(a, b, twin);
    EXPECT_EQ(b.count(), 1U);
    EXPECT_FALSE(is_free("b"));
    b.unlock();
    holdfast::lock_all(twin, b);
    EXPECT_EQ(b.count(), 2U);
    holdfast::unlock_all(b, twin);
    EXPECT_TRUE(will_be_clear("a") && will_be_clear("b"));
}

TEST_P(lock_all, moves_money_both_ways_without_deadlock) { // P1, P4
    int balance_a = 100;
    int balance_b = 100;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                auto own = connect();
                holdfast::mutex a{own, "a"};
                holdfast::mutex b{own, "b"};
                for (int round = 0; round < 10; ++round) {
                    if (i % 2 == 0) {
                        const holdfast::scoped_lock_all both{a, b};
                        --balance_a;
                        ++balance_b;
                    } else {
                        const holdfast::scoped_lock_all both{b, a};
                        ++balance_a;
                        --balance_b;
                    }
                }
            });
        }
    }
    EXPECT_EQ(balance_a, 100);
    EXPECT_EQ(balance_b, 100);
}

// In layout plain it renewed the hold, and the inner scope released the outer one.
TEST_P(lock_all, refuses_a_mutex_that_the_thread_holds_and_leaves_that_hold) { // P1
    auto mine = connect();
    holdfast::mutex a{mine, "a"};
    holdfast::mutex b{mine, "b"};
    a.lock();
    EXPECT_EQ(failure_of([&] {
                  const holdfast::scoped_lock_all both{a, b};
              }),
              errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { (void)holdfast::try_lock_all_for(10s, b, a); }),
              errc::would_deadlock);
    EXPECT_TRUE(a.valid());
    EXPECT_FALSE(is_free("a"));
    EXPECT_TRUE(is_free("b"));
    a.unlock();
    EXPECT_TRUE(will_be_clear("a"));
}

} // namespace
