// What must not be done to a lock, and that debug builds say so.

#include "support/timing.hpp"

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

namespace holdfast::test {
namespace {

#ifndef NDEBUG

/// Destroys a lock while another thread waits in it.
template <typename Lock, typename Wait>
void destroy_while_waiting(Wait wait) {
    const client fleet{"memory:lifetime"};
    const client rival{"memory:lifetime"};
    const auto held = mutex{rival, "stock"}.acquire();
    std::optional<Lock> lock{std::in_place, fleet, "stock"};
    const std::thread waiter{[&] { wait(*lock); }};
    const admin look{rival};
    while (look.inspect("stock").value_or(lock_info{}).waiters.empty()) {
        std::this_thread::yield();
    }
    lock.reset();
}

constexpr const char* complaint = "a lock is destroyed while a thread waits for it";

TEST(lock_lifetime_death_test, a_mutex_is_not_destroyed_while_a_thread_waits_in_lock) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(destroy_while_waiting<mutex>([](mutex& lock) { lock.lock(); }), complaint);
}

TEST(lock_lifetime_death_test, a_mutex_is_not_destroyed_while_a_thread_waits_for_a_lease) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(destroy_while_waiting<mutex>([](mutex& lock) { (void)lock.acquire(); }),
                 complaint);
}

TEST(lock_lifetime_death_test, a_recursive_mutex_is_not_destroyed_while_a_thread_waits_in_lock) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(destroy_while_waiting<recursive_mutex>([](recursive_mutex& lock) { lock.lock(); }),
                 complaint);
}

TEST(lock_lifetime_death_test, a_mutex_is_not_destroyed_while_a_thread_waits_in_lock_all) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(destroy_while_waiting<mutex>([](mutex& lock) { lock_all(lock); }), complaint);
}

#endif

TEST(lock_lifetime, a_mutex_may_be_destroyed_while_others_hold_its_name) {
    const client fleet{"memory:lifetime"};
    const auto held = mutex{fleet, "stock"}.acquire();
    {
        mutex lock{fleet, "stock"};
        EXPECT_FALSE(lock.try_lock());
    }
    EXPECT_TRUE(held.valid());
}

} // namespace
} // namespace holdfast::test
