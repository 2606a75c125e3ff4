// Forms of the public calls that a new user tried and that were missing or wrong.

#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <system_error>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(forms, a_free_lock_is_had_however_short_the_patience) {
    client fleet{"memory:forms_short"};
    mutex lock{fleet, "name"};
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(lock.try_acquire_for(1ns));
        EXPECT_TRUE(lock.try_acquire_until(std::chrono::steady_clock::now() + 1ns));
    }
}

TEST(forms, a_client_without_patience_for_its_engine_still_gets_a_free_lock) {
    client fleet{"memory:forms_impatient", {.connect_wait = 0ms}};
    mutex lock{fleet, "name"};
    EXPECT_TRUE(lock.try_acquire());
    EXPECT_TRUE(lock.try_acquire_for(100ms));
    lock.lock();
    EXPECT_TRUE(lock.valid());
    lock.unlock();
}

TEST(forms, the_earliest_time_point_is_in_the_past) {
    client fleet{"memory:forms_past"};
    mutex lock{fleet, "name"};
    const auto held = lock.acquire();
    EXPECT_FALSE(lock.try_lock_until(std::chrono::steady_clock::time_point::min()));
    EXPECT_FALSE(lock.try_acquire_until(std::chrono::system_clock::time_point::min()));
}

TEST(forms, options_that_are_left_empty_are_options_and_no_stop_token) {
    client fleet{"memory:forms_empty"};
    mutex lock{fleet, "name"};
    EXPECT_TRUE(lock.acquire({}).valid());
    std::stop_source stop;
    EXPECT_TRUE(lock.acquire({.stop = stop.get_token()}).valid());
}

TEST(forms, every_way_to_wait_can_set_an_error_code_instead_of_throwing) {
    client fleet{"memory:forms_codes"};
    std::error_code failure = errc::lost;
    mutex lock{fleet, "mutex"};
    EXPECT_TRUE(lock.try_lock_for(1ms, failure));
    EXPECT_FALSE(failure);
    lock.unlock();
    EXPECT_FALSE(lock.try_acquire_for(1ms, {.lease = 1ms}, failure));
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_EQ(failure, std::errc::invalid_argument);
    EXPECT_TRUE(lock.try_acquire_for(1ms, failure));
    EXPECT_TRUE(lock.acquire({.lease = 1s}, failure));
    shared_mutex both{fleet, "shared"};
    EXPECT_TRUE(both.lock_shared(failure));
    both.unlock_shared();
    EXPECT_TRUE(both.acquire_shared(failure));
    EXPECT_TRUE(both.try_acquire_shared(failure));
    counting_semaphore slots{fleet, "slots", 2};
    EXPECT_FALSE(slots.try_acquire(3, failure));
    EXPECT_EQ(failure, errc::invalid_option);
    EXPECT_TRUE(slots.try_acquire(2, failure));
    EXPECT_FALSE(failure);
    recursive_mutex again{fleet, "recursive"};
    EXPECT_TRUE(again.try_lock_for(1ms, failure));
    again.unlock();
}

TEST(forms, errors_are_known_to_std_by_its_own_words) {
    EXPECT_EQ(make_error_code(errc::store_full), std::errc::no_space_on_device);
    EXPECT_EQ(make_error_code(errc::would_deadlock), std::errc::resource_deadlock_would_occur);
    EXPECT_EQ(make_error_code(errc::cancelled), std::errc::operation_canceled);
    EXPECT_EQ(make_error_code(errc::store_forbidden), std::errc::permission_denied);
    EXPECT_NE(make_error_code(errc::lost), std::errc::invalid_argument);
}

} // namespace
} // namespace holdfast::test
