// What a thread's thread_local objects do with locks while it ends, after Holdfast's own are gone.
#include "contract/contract.hpp"

#include <mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(ending_thread);

/// Locks once more in its destructor, as for a last flush.
class last_flush {
public:
    last_flush(holdfast::mutex& lock, bool& was_valid) : lock_{lock}, was_valid_{was_valid} {}
    last_flush(const last_flush&) = delete;
    last_flush& operator=(const last_flush&) = delete;
    ~last_flush() {
        const std::scoped_lock held{lock_};
        was_valid_ = lock_.valid();
    }

private:
    holdfast::mutex& lock_;
    bool& was_valid_;
};

TEST_P(ending_thread, locks_and_unlocks_in_destructors_of_thread_local_objects) { // P1, P8
    auto fleet = connect();
    holdfast::mutex stock{fleet, "stock"};
    holdfast::mutex order{fleet, "order"};
    holdfast::mutex account{fleet, "account"};
    bool was_valid = false;
    std::thread{[&] {
        thread_local const last_flush last{stock, was_valid}; // before the thread's first lock
        const std::scoped_lock held{stock, order, account};
    }}.join();
    EXPECT_TRUE(was_valid);
    for (const char* const name : {"stock", "order", "account"}) {
        EXPECT_TRUE(will_be_clear(name)) << name;
    }
}

TEST_P(ending_thread, loses_what_a_thread_local_unique_lock_still_holds) { // P4, P7
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    auto rival = connect();
    holdfast::mutex stock{fleet, "stock", {.lease = 2 * short_lease}};
    std::thread{[&] {
        thread_local std::unique_lock<holdfast::mutex> held{stock, std::defer_lock};
        held.lock(); // the destructor of `held` unlocks after the thread has lost it
    }}.join();
    EXPECT_TRUE(watch->await(kind::thread_exited));
    EXPECT_TRUE(watch->await(kind::unlock_after_loss));
    EXPECT_TRUE((holdfast::mutex{rival, "stock"}.try_acquire_for(long_wait)));
}

} // namespace
