#include "holdfast/drive/cancel_queue.hpp"

#include "unit/fake_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace holdfast::drive {
namespace {

using test::noting_participant;
using lines = noting_participant::lines;

TEST(cancel_queue, delivers_each_cancellation_once) {
    cancel_queue queue;
    const auto first = std::make_shared<noting_participant>();
    const auto second = std::make_shared<noting_participant>();
    queue.deliver({});
    queue.add(first);
    queue.add(second);
    EXPECT_EQ(first->take(), lines{}) << "only when it is asked to";
    queue.deliver({});
    queue.deliver({});
    EXPECT_EQ(first->take(), (lines{"cancel"}));
    EXPECT_EQ(second->take(), (lines{"cancel"}));
}

TEST(cancel_queue, keeps_a_participant_until_it_is_delivered_and_no_longer) {
    cancel_queue queue;
    auto first = std::make_shared<noting_participant>();
    const std::weak_ptr<noting_participant> seen = first;
    queue.add(std::move(first));
    EXPECT_FALSE(seen.expired());
    queue.deliver({});
    EXPECT_TRUE(seen.expired());
}

TEST(cancel_queue, accepts_another_during_a_delivery) {
    cancel_queue queue;
    const auto first = std::make_shared<noting_participant>();
    const auto second = std::make_shared<noting_participant>();
    first->on_call = [&] { queue.add(second); };
    queue.add(first);
    queue.deliver({});
    EXPECT_EQ(second->take(), lines{});
    queue.deliver({});
    EXPECT_EQ(second->take(), (lines{"cancel"}));
}

TEST(cancel_queue, loses_no_cancellation_of_many_threads) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t each = 500;
    cancel_queue queue;
    std::vector<std::shared_ptr<noting_participant>> all(threads * each);
    std::size_t delivered = 0;
    for (auto& participant : all) {
        participant = std::make_shared<noting_participant>();
        participant->on_call = [&] { ++delivered; };
    }
    {
        std::vector<std::jthread> adders;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            adders.emplace_back([&, thread] {
                for (std::size_t i = 0; i < each; ++i) { queue.add(all[thread * each + i]); }
            });
        }
        while (delivered < all.size()) {
            queue.deliver({});
            std::this_thread::yield();
        }
    }
    for (const auto& participant : all) { EXPECT_EQ(participant->take(), (lines{"cancel"})); }
}

} // namespace
} // namespace holdfast::drive
