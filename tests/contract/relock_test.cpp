// A thread that locks a name that it already holds gets would_deadlock, through any object.
#include "contract/contract.hpp"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using holdfast::errc;
using holdfast::mutex;
using holdfast::primitive;
using holdfast::recursive_mutex;
using holdfast::shared_mutex;

HOLDFAST_CONTRACT(relock);

TEST_P(relock, fails_in_every_form_of_lock) { // P9
    auto fleet = connect();
    mutex source{fleet, "account"};
    mutex destination{fleet, "account"};
    const std::scoped_lock hold{source};
    ASSERT_EQ(failure_of([&] { (void)destination.try_lock(); }), errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { destination.lock(); }), errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { (void)destination.try_lock_for(1h); }), errc::would_deadlock);
    const auto later = std::chrono::steady_clock::now() + 1h;
    EXPECT_EQ(failure_of([&] { (void)destination.try_lock_until(later); }), errc::would_deadlock);
    std::error_code failure;
    EXPECT_FALSE(destination.lock(failure));
    EXPECT_EQ(failure, errc::would_deadlock);
    failure.clear();
    EXPECT_FALSE(destination.try_lock(failure));
    EXPECT_EQ(failure, errc::would_deadlock);
    EXPECT_FALSE(destination.valid());
    EXPECT_TRUE(source.valid());
}

TEST_P(relock, succeeds_after_an_unlock_through_another_object) {
    auto fleet = connect();
    std::optional<mutex> source{std::in_place, fleet, "account"};
    mutex destination{fleet, "account"};
    source->lock();
    source->unlock();
    destination.lock();
    EXPECT_EQ(failure_of([&] { (void)source->try_lock(); }), errc::would_deadlock);
    destination.unlock();
    source->lock();
    source.reset(); // releases it
    EXPECT_TRUE(destination.try_lock());
    destination.unlock();
}

TEST_P(relock, fails_in_scoped_lock_which_then_holds_nothing) { // P8
    auto fleet = connect();
    mutex source{fleet, "account"};
    mutex destination{fleet, "account"};
    {
        const std::scoped_lock hold{source};
        ASSERT_EQ(failure_of([&] { (void)destination.try_lock(); }), errc::would_deadlock)
            << "without that scoped_lock tries for ever";
    }
    EXPECT_EQ(failure_of([&] {
                  std::scoped_lock both{source, destination};
              }),
              errc::would_deadlock);
    EXPECT_TRUE(is_free("account"));
}

TEST_P(relock, fails_for_readers_too) { // P9
    HOLDFAST_NEEDS(can(primitive::shared_mutex).supported);
    auto fleet = connect();
    shared_mutex here{fleet, "prices"};
    shared_mutex there{fleet, "prices"};
    {
        const std::shared_lock reading{here};
        for (auto* const each : {&here, &there}) {
            EXPECT_EQ(failure_of([&] { (void)each->try_lock_shared(); }), errc::would_deadlock);
            EXPECT_EQ(failure_of([&] { each->lock_shared(); }), errc::would_deadlock);
            EXPECT_EQ(failure_of([&] { (void)each->try_lock(); }), errc::would_deadlock);
        }
    }
    const std::scoped_lock writing{here};
    EXPECT_EQ(failure_of([&] { (void)there.try_lock_shared(); }), errc::would_deadlock);
}

TEST_P(relock, is_allowed_while_only_a_lease_is_held) {
    auto fleet = connect();
    mutex here{fleet, "account"};
    mutex there{fleet, "account"};
    auto held = here.acquire();
    EXPECT_FALSE(there.try_lock());
    EXPECT_FALSE(here.try_lock());
    held.release();
    const std::scoped_lock hold{there};
    EXPECT_FALSE(here.try_acquire());
}

TEST_P(relock, is_allowed_after_the_hold_was_lost) {
    auto fleet = connect();
    mutex here{fleet, "account", {.lease = short_lease, .renew = false}};
    mutex there{fleet, "account"};
    here.lock();
    ASSERT_TRUE(eventually([&] { return !here.valid(); }));
    EXPECT_TRUE(there.try_lock_for(long_wait));
    here.unlock(); // too late, and does nothing
    EXPECT_TRUE(there.valid());
    there.unlock();
}

TEST_P(relock, is_allowed_for_another_thread_or_client) {
    auto fleet = connect();
    auto rival = connect();
    mutex here{fleet, "account"};
    mutex there{fleet, "account"};
    mutex theirs{rival, "account"};
    const std::scoped_lock hold{here};
    EXPECT_FALSE(theirs.try_lock());
    std::thread{[&] {
        EXPECT_FALSE(here.try_lock());
        EXPECT_FALSE(there.try_lock());
    }}.join();
}

TEST_P(relock, of_other_names_is_allowed) {
    auto fleet = connect();
    std::deque<mutex> all;
    for (int i = 0; i < 50; ++i) { all.emplace_back(fleet, "account:" + std::to_string(i)); }
    for (auto& each : all) { each.lock(); }
    for (auto& each : all) {
        mutex other{fleet, each.name()};
        EXPECT_EQ(failure_of([&] { (void)other.try_lock(); }), errc::would_deadlock);
    }
    for (auto& each : all) { each.unlock(); }
    for (auto& each : all) {
        EXPECT_TRUE(each.try_lock());
        each.unlock();
    }
}

TEST_P(relock, refreshes_only_through_the_same_object) { // plain
    HOLDFAST_NEEDS(can().refreshes);
    auto fleet = connect();
    mutex here{fleet, "account"};
    mutex there{fleet, "account"};
    here.lock();
    EXPECT_TRUE(here.try_lock());
    ASSERT_EQ(failure_of([&] { (void)there.try_lock(); }), errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { there.lock(); }), errc::would_deadlock);
    here.unlock();
    EXPECT_TRUE(there.try_lock());
    there.unlock();
}

TEST_P(relock, fails_when_a_mutex_is_held_as_a_recursive_mutex_or_vice_versa) {
    auto fleet = connect();
    recursive_mutex counted{fleet, "account"};
    mutex plain{fleet, "account"};
    {
        const std::scoped_lock hold{counted};
        EXPECT_EQ(failure_of([&] { (void)plain.try_lock(); }), errc::would_deadlock);
        EXPECT_TRUE(counted.try_lock());
        counted.unlock();
    }
    const std::scoped_lock hold{plain};
    std::error_code failure;
    EXPECT_FALSE(counted.try_lock(failure));
    ASSERT_EQ(failure, errc::would_deadlock);
    EXPECT_EQ(failure_of([&] { counted.lock(); }), errc::would_deadlock);
    EXPECT_EQ(counted.count(), 0U);
}

} // namespace
