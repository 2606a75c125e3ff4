// The observer receives the events that no caller waits for.
#include "contract/contract.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace {

using namespace holdfast::test;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(observed);

TEST_P(observed, nothing_without_failures) {
    const auto watch = std::make_shared<recording_observer>();
    {
        auto fleet = connect(watch);
        auto rival = connect(watch);
        holdfast::mutex mine{fleet, "stock"};
        holdfast::mutex theirs{rival, "stock"};
        for (int round = 0; round < 5; ++round) {
            const std::lock_guard hold{mine};
            EXPECT_FALSE(theirs.try_acquire());
            EXPECT_FALSE(theirs.try_acquire_for(5ms));
        }
        theirs.acquire().release();
    }
    for (const auto& told : watch->all()) { ADD_FAILURE() << to_string(told.type) << told.detail; }
}

TEST_P(observed, a_loss_with_its_name_owner_and_token) { // P2
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 120ms, .renew = false});
    const auto told = watch->await(kind::lost);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_EQ(told->owner, held.owner());
    EXPECT_EQ(told->token, held.token());
    EXPECT_FALSE(told->detail.empty());
}

TEST_P(observed, an_unlock_after_a_loss) { // P4
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::mutex stock{fleet, "stock", {.lease = 120ms, .renew = false}};
    stock.lock();
    const auto token = stock.token();
    ASSERT_TRUE(watch->await(kind::lost));
    EXPECT_FALSE(watch->first(kind::unlock_after_loss));
    stock.unlock();
    const auto told = watch->await(kind::unlock_after_loss);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_EQ(told->token, token);
    EXPECT_EQ(told->detail, "it was not renewed in time");
}

TEST_P(observed, an_unlock_without_a_hold) { // P4
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::mutex stock{fleet, "stock"};
    stock.unlock();
    const auto told = watch->await(kind::unlock_not_held);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_FALSE(watch->first(kind::unlock_after_loss));
}

TEST_P(observed, a_release_that_failed_in_unlock_and_in_a_destructor) { // P5
    const auto watch = std::make_shared<recording_observer>();
    holdfast::client fleet{url(), {.connect_wait = 1s, .observer = watch}};
    holdfast::mutex locked{fleet, "locked"};
    locked.lock();
    std::optional held{holdfast::mutex{fleet, "held"}.acquire()};
    HOLDFAST_HANG_STORE();
    locked.unlock();
    held.reset();
    EXPECT_TRUE(watch->await_each(kind::release_failed, {"locked", "held"}));
}

TEST_P(observed, a_thread_that_ended_while_holding) { // P4
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    auto fleet = connect(watch);
    holdfast::mutex stock{fleet, "stock"};
    std::uint64_t token = 0;
    std::thread{[&] {
        stock.lock();
        token = stock.token();
    }}.join();
    const auto told = watch->await(kind::thread_exited);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->name, "stock");
    EXPECT_EQ(told->token, token);
}

/// Calls Holdfast from inside an event.
class busy_observer final : public holdfast::observer {
public:
    void on_event(const holdfast::event& event) noexcept override {
        try {
            if (event.type == kind::lost) {
                took = holdfast::mutex{*fleet, "log"}.try_acquire_for(long_wait).has_value();
                done = true;
            }
        } catch (...) { done = true; }
    }
    holdfast::client* fleet = nullptr;
    std::atomic<bool> took{false};
    std::atomic<bool> done{false};
};

TEST_P(observed, and_the_observer_may_use_the_same_client) {
    const auto watch = std::make_shared<busy_observer>();
    auto fleet = connect(watch);
    watch->fleet = &fleet;
    const auto held = holdfast::mutex{fleet, "stock"}.acquire({.lease = 120ms, .renew = false});
    EXPECT_TRUE(eventually([&] { return watch->done.load(); }));
    EXPECT_TRUE(watch->took.load());
}

class overlap_observer final : public holdfast::observer {
public:
    void on_event(const holdfast::event& /*what*/) noexcept override {
        if (inside.fetch_add(1) != 0) { overlaps = true; }
        std::this_thread::sleep_for(2ms);
        --inside;
        ++events;
    }
    std::atomic<int> inside{0};
    std::atomic<int> events{0};
    std::atomic<bool> overlaps{false};
};

TEST_P(observed, one_event_at_a_time_and_each_once) {
    const auto watch = std::make_shared<overlap_observer>();
    auto fleet = connect(watch);
    std::vector<holdfast::lease> doomed;
    for (int i = 0; i < 10; ++i) {
        doomed.push_back(holdfast::mutex{fleet, "stock:" + std::to_string(i)}.acquire(
            {.lease = scaled(150ms), .renew = false}));
    }
    EXPECT_TRUE(eventually([&] { return watch->events.load() >= 10; }));
    doomed.clear();
    EXPECT_TRUE(throughout(50ms, [&] { return watch->events.load() == 10; }));
    EXPECT_FALSE(watch->overlaps.load());
}

} // namespace
