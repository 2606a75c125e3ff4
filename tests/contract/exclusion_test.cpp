// P1: one holder at a time, with all lock types of std.
#include "contract/contract.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

using namespace holdfast::test;

HOLDFAST_CONTRACT(exclusion);

/// A counter that loses counts if two threads are inside at once. It is an atomic with separate
/// load and store, because a race detector sees no happens-before between two clients.
class unguarded_counter {
public:
    void add() {
        if (inside_.fetch_add(1) != 0) { overlaps_.fetch_add(1); }
        const int seen = count_.load(std::memory_order_relaxed);
        std::this_thread::yield();
        count_.store(seen + 1, std::memory_order_relaxed);
        inside_.fetch_sub(1);
    }
    [[nodiscard]] int count() const { return count_.load(); }
    [[nodiscard]] int overlaps() const { return overlaps_.load(); }

private:
    std::atomic<int> count_{0};
    std::atomic<int> inside_{0};
    std::atomic<int> overlaps_{0};
};

TEST_P(exclusion, a_second_client_is_refused_while_the_first_holds) { // P1
    auto first = connect();
    auto second = connect();
    holdfast::mutex mine{first, "stock"};
    holdfast::mutex theirs{second, "stock"};

    auto held = mine.acquire();
    EXPECT_TRUE(held.valid());
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(theirs.try_lock());

    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_TRUE(theirs.try_acquire());
}

TEST_P(exclusion, two_objects_of_one_client_exclude_each_other) { // P1
    auto fleet = connect();
    holdfast::mutex first{fleet, "stock"};
    holdfast::mutex other{fleet, "stock"};
    const auto held = first.acquire();
    EXPECT_FALSE(other.try_acquire());
    EXPECT_FALSE(first.try_acquire());
}

TEST_P(exclusion, different_names_do_not_exclude_each_other) { // P1
    auto fleet = connect();
    const auto first = holdfast::mutex{fleet, "stock:1"}.acquire();
    const auto other = holdfast::mutex{fleet, "stock:2"}.try_acquire();
    EXPECT_TRUE(other);
}

TEST_P(exclusion, threads_of_several_clients_lose_no_count_of_an_unguarded_counter) { // P1
    constexpr int threads_per_client = 3;
    constexpr int rounds = 30;
    std::vector<holdfast::client> clients;
    for (int i = 0; i < 3; ++i) { clients.push_back(connect()); }
    unguarded_counter counter;
    {
        std::vector<std::jthread> threads;
        for (auto& fleet : clients) {
            for (int i = 0; i < threads_per_client; ++i) {
                threads.emplace_back([&] {
                    holdfast::mutex guard{fleet, "counter"};
                    for (int round = 0; round < rounds; ++round) {
                        const std::lock_guard hold{guard};
                        counter.add();
                    }
                });
            }
        }
    }
    EXPECT_EQ(counter.overlaps(), 0);
    EXPECT_EQ(counter.count(), 3 * threads_per_client * rounds);
    EXPECT_TRUE(will_be_clear("counter"));
}

TEST_P(exclusion, threads_that_share_a_mutex_see_each_others_writes) { // P1
    auto fleet = connect();
    holdfast::mutex guard{fleet, "counter"};
    int count = 0; // not atomic: a race detector sees whether lock() orders as std::mutex does
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int round = 0; round < 30; ++round) {
                    const std::scoped_lock hold{guard};
                    ++count;
                }
            });
        }
    }
    EXPECT_EQ(count, 4 * 30);
}

TEST_P(exclusion, unique_lock_works_in_all_forms) { // P1
    auto fleet = connect();
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};

    std::unique_lock deferred{mine, std::defer_lock};
    EXPECT_TRUE(deferred.try_lock());
    EXPECT_FALSE((std::unique_lock{theirs, std::try_to_lock}.owns_lock()));
    EXPECT_FALSE((std::unique_lock{theirs, 20ms}.owns_lock()));
    EXPECT_FALSE((std::unique_lock{theirs, std::chrono::steady_clock::now() + 20ms}.owns_lock()));
    deferred.unlock();

    std::unique_lock timed{theirs, 5s};
    EXPECT_TRUE(timed.owns_lock());
    EXPECT_FALSE(deferred.try_lock());
    timed.unlock();
    EXPECT_TRUE(deferred.try_lock_for(5s));
}

TEST_P(exclusion, std_lock_takes_two_in_any_order_without_deadlock) { // P1
    auto first = connect();
    auto second = connect();
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    const auto loop = [&](holdfast::mutex& outer, holdfast::mutex& inner) {
        for (int round = 0; round < 15; ++round) {
            const std::scoped_lock both{outer, inner};
            if (inside.fetch_add(1) != 0) { overlaps.fetch_add(1); }
            std::this_thread::yield();
            inside.fetch_sub(1);
        }
    };
    {
        const std::jthread forth{[&] {
            holdfast::mutex a{first, "a"};
            holdfast::mutex b{first, "b"};
            loop(a, b);
        }};
        const std::jthread back{[&] {
            holdfast::mutex a{second, "a"};
            holdfast::mutex b{second, "b"};
            loop(b, a);
        }};
    }
    EXPECT_EQ(overlaps.load(), 0);
    EXPECT_TRUE(will_be_clear("a"));
    EXPECT_TRUE(will_be_clear("b"));
}

TEST_P(exclusion, locking_twice_in_one_thread_is_an_error_not_a_deadlock) { // P9
    HOLDFAST_NEEDS(!can().refreshes);
    auto fleet = connect();
    holdfast::mutex guard{fleet, "stock"};
    const std::lock_guard hold{guard};
    EXPECT_EQ(failure_of([&] { guard.lock(); }), holdfast::errc::would_deadlock);
    std::error_code failure;
    EXPECT_FALSE(guard.lock(failure));
    EXPECT_EQ(failure, holdfast::errc::would_deadlock);
    EXPECT_TRUE(guard.valid());
}

TEST_P(exclusion, leases_of_two_holders_are_never_valid_at_once) { // P1b
    auto first = connect();
    auto second = connect();
    holdfast::mutex mine{first, "stock"};
    holdfast::mutex theirs{second, "stock"};
    // Each is granted when the other's lease expires: the moment at which an overlap could happen.
    for (int round = 0; round < 2; ++round) {
        const auto old = mine.acquire({.lease = scaled(150ms), .renew = false});
        auto next = theirs.acquire({.lease = scaled(150ms), .renew = false});
        EXPECT_FALSE(old.valid());
        const auto back = mine.acquire({.lease = scaled(150ms), .renew = false});
        EXPECT_FALSE(next.valid());
    }
}

} // namespace
