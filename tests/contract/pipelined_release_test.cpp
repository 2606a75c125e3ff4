// client_options::pipeline_release: unlock() and destructors do not wait for the engine's answer.
#include "contract/contract.hpp"

#include <algorithm>
#include <thread>

namespace {

using namespace holdfast::test;
using kind = holdfast::event::kind;

HOLDFAST_CONTRACT(pipelined_release);

constexpr milliseconds a_second = scaled(1s);

holdfast::client_options pipelined(std::shared_ptr<holdfast::observer> watch = {}) {
    return {.pipeline_release = true, .observer = std::move(watch)};
}

TEST_P(pipelined_release, frees_the_lock_without_further_calls_of_the_client) { // P7
    holdfast::client fleet{url(), pipelined()};
    auto rival = connect();
    holdfast::mutex mine{fleet, "stock"};
    holdfast::mutex theirs{rival, "stock"};
    for (int round = 0; round < 20; ++round) {
        mine.lock();
        mine.unlock();
        ASSERT_TRUE(theirs.try_acquire_for(a_second)) << round;
    }
}

TEST_P(pipelined_release, of_many_locks_at_once_releases_each) { // P7
    holdfast::client fleet{url(), pipelined()};
    std::vector<holdfast::lease> held;
    for (int i = 0; i < 50; ++i) {
        held.push_back(holdfast::mutex{fleet, "stock:" + std::to_string(i)}.acquire());
    }
    held.clear();
    auto rival = connect();
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(
            (holdfast::mutex{rival, "stock:" + std::to_string(i)}.try_acquire_for(a_second)))
            << i;
    }
}

TEST_P(pipelined_release, is_sent_before_the_next_operation_of_its_client) { // P3, P6
    HOLDFAST_NEEDS(can().fencing);
    const auto watch = std::make_shared<recording_observer>();
    holdfast::client fleet{url(), pipelined(watch)};
    holdfast::mutex stock{fleet, "stock"};
    std::uint64_t last = 0;
    for (int round = 0; round < 200; ++round) {
        ASSERT_TRUE(stock.try_lock()) << round;
        EXPECT_GT(stock.token(), last);
        last = stock.token();
        stock.unlock();
    }
    for (const auto& told : watch->all()) { ADD_FAILURE() << to_string(told.type) << told.detail; }
}

TEST_P(pipelined_release, is_done_before_the_destructor_of_the_client_returns) { // P8
    for (int round = 0; round < 10; ++round) {
        holdfast::client fleet{url(), pipelined()};
        const auto held = holdfast::mutex{fleet, "stock"}.acquire();
    }
    EXPECT_TRUE(will_be_clear("stock", a_second));
}

TEST_P(pipelined_release, hands_off_to_the_first_waiter) { // P6
    HOLDFAST_NEEDS(can().fencing);
    holdfast::client fleet{url(), pipelined()};
    auto rival = connect();
    std::optional held{holdfast::mutex{fleet, "stock"}.acquire()};
    const auto token = held->token();
    background<holdfast::lease> waiting{[&](const std::stop_token& stop) {
        return holdfast::mutex{rival, "stock"}.acquire({.stop = stop});
    }};
    ASSERT_TRUE(will_wait("stock", 1));
    held.reset();
    ASSERT_TRUE(waiting.done_within(a_second));
    EXPECT_GT(waiting.get().token(), token);
}

TEST_P(pipelined_release, after_a_break_is_reported_as_an_unlock_after_a_loss) { // P4
    const auto watch = std::make_shared<recording_observer>();
    holdfast::client fleet{url(), pipelined(watch)};
    holdfast::mutex stock{fleet, "stock"};
    stock.lock();
    holdfast::admin{connect()}.break_lock("stock");
    auto rival = connect();
    const auto next = holdfast::mutex{rival, "stock"}.acquire();
    stock.unlock();
    EXPECT_TRUE(watch->await(kind::unlock_after_loss));
    EXPECT_TRUE(next.valid());
    EXPECT_FALSE(is_free("stock"));
}

TEST_P(pipelined_release, that_fails_is_reported_to_the_observer) { // P5
    const auto watch = std::make_shared<recording_observer>();
    auto options = pipelined(watch);
    options.connect_wait = scaled(200ms);
    holdfast::client fleet{url(), options};
    holdfast::mutex locked{fleet, "locked"};
    locked.lock();
    std::optional held{holdfast::mutex{fleet, "held"}.acquire()};
    HOLDFAST_HANG_STORE();
    locked.unlock();
    held.reset();
    EXPECT_TRUE(watch->await_each(kind::release_failed, {"locked", "held"}));
}

TEST_P(pipelined_release, that_is_not_answered_before_its_client_is_destroyed_is_reported) { // P5
    const auto watch = std::make_shared<recording_observer>();
    {
        holdfast::client fleet{url(), pipelined(watch)};
        holdfast::mutex stock{fleet, "stock"};
        stock.lock();
        HOLDFAST_HANG_STORE();
        stock.unlock();
    }
    EXPECT_TRUE(watch->await_each(kind::release_failed, {"stock"}));
}

TEST_P(pipelined_release, does_not_apply_to_release_which_waits_for_the_answer) { // P5
    holdfast::client fleet{url(), pipelined()};
    auto held = holdfast::mutex{fleet, "stock"}.acquire();
    EXPECT_EQ(held.release(), holdfast::release_answer::released);
    EXPECT_TRUE(is_free("stock"));
}

// The keeper leads while there is a crowd, and may be reading at that moment.
TEST_P(pipelined_release, is_sent_though_the_client_is_destroyed_right_after_a_crowd) { // P7
    constexpr int threads = 8;
    auto rival = connect();
    for (int round = 0; round < 5; ++round) {
        {
            const holdfast::client fleet{url(), pipelined()};
            std::vector<std::jthread> crowd;
            for (int i = 0; i < threads; ++i) {
                crowd.emplace_back([&fleet, i] {
                    holdfast::mutex stock{fleet, "stock:" + std::to_string(i)};
                    for (int cycle = 0; cycle < 20; ++cycle) {
                        stock.lock();
                        stock.unlock();
                    }
                });
            }
        }
        for (int i = 0; i < threads; ++i) {
            holdfast::mutex stock{rival, "stock:" + std::to_string(i)};
            EXPECT_TRUE(stock.try_acquire_for(a_second)) << i;
        }
    }
}

} // namespace
