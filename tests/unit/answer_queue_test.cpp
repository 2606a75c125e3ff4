// Answers are delivered intact and in order, also while a delivery makes the queue grow.

#include "holdfast/drive/answer_queue.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::drive {
namespace {

using ids = std::vector<engine::op_id>;

/// Too long to be kept in a string itself.
const std::string detail = "a detail that is too long for a string to keep it without memory";

void add(answer_queue& queue, engine::op_id id) {
    engine::answer answer;
    answer.id = id;
    answer.detail = detail;
    answer.beats.resize(2);
    queue.add(std::move(answer));
}

/// Delivers all; `meanwhile` is called before each answer is looked at.
template <typename Meanwhile>
ids take_all(answer_queue& queue, Meanwhile meanwhile) {
    ids seen;
    queue.handle_all([&](const engine::answer& answer) {
        meanwhile();
        EXPECT_EQ(answer.detail, detail);
        EXPECT_EQ(answer.beats.size(), 2U);
        seen.push_back(answer.id);
    });
    return seen;
}

TEST(answer_queue, keeps_the_answers_that_it_delivers_while_it_grows) {
    answer_queue queue;
    std::size_t room = 1;
    for (int round = 0; round < 3; ++round) {
        queue.reserve(room);
        for (const engine::op_id id : {1U, 2U, 3U}) { add(queue, id); }
        const auto grow = [&] { queue.reserve(room *= 3); }; // as a participant that sends much
        EXPECT_EQ(take_all(queue, grow), (ids{1, 2, 3})) << round;
        EXPECT_TRUE(queue.empty());
    }
}

TEST(answer_queue, keeps_for_the_next_call_what_arrives_during_a_delivery) {
    answer_queue queue;
    queue.reserve(2);
    for (const engine::op_id id : {1U, 2U}) { add(queue, id); }
    engine::op_id next = 10;
    const auto answer_at_once = [&] {
        queue.reserve(next); // more than before
        add(queue, ++next);
    };
    EXPECT_EQ(take_all(queue, answer_at_once), (ids{1, 2}));
    EXPECT_FALSE(queue.empty());
    EXPECT_EQ(take_all(queue, [] {}), (ids{11, 12}));
    EXPECT_TRUE(queue.empty());
}

} // namespace
} // namespace holdfast::drive
