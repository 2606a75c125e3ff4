// Withdrawals that a node has not confirmed.
#include "holdfast/engine/quorum/debts.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace holdfast;
using engine::quorum::debts;

base::instant at(base::duration time) { return base::instant{1h} + time; }

engine::op of(std::uint64_t number, bool asks_again = true) {
    return engine::withdraw_op{{"stock", {{}, number}}, asks_again};
}
engine::op release_of(std::uint64_t number) {
    return engine::release_op{.ticket = {"stock", {{}, number}}, .token = 7};
}
bool is_final(const engine::op& request) {
    const auto* const withdrawal = std::get_if<engine::withdraw_op>(&request);
    return withdrawal != nullptr && !withdrawal->asks_again;
}

TEST(debts, are_due_after_a_pause) {
    debts owed;
    owed.add(2, of(1), at(10s), at(0s));
    EXPECT_EQ(owed.due(), at(debts::retry_pause));
    EXPECT_TRUE(owed.take_due(at(499ms)).empty());
    const auto due = owed.take_due(at(500ms));
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].node, 2U);
    EXPECT_EQ(owed.size(), 0U);
}

TEST(debts, end_with_the_vote) {
    debts owed;
    owed.add(0, of(1), at(100ms), at(0s));
    EXPECT_EQ(owed.due(), at(100ms));
    EXPECT_TRUE(owed.take_due(at(600ms)).empty());
    EXPECT_EQ(owed.due(), base::never);
    owed.add(0, of(2), at(700ms), at(800ms));
    EXPECT_EQ(owed.size(), 0U);
}

TEST(debts, are_due_at_once_when_their_node_can_be_reached_again) {
    debts owed;
    owed.add(0, of(1), at(10s), at(0s));
    owed.add(1, of(1), at(10s), at(0s));
    owed.hurry(1, at(10ms));
    const auto due = owed.take_due(at(10ms));
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].node, 1U);
}

TEST(debts, of_one_ticket_on_one_node_are_one) {
    debts owed;
    owed.add(0, of(1, true), at(1s), at(0s));
    owed.add(0, of(1, false), at(5s), at(0s));
    owed.add(0, of(1, true), at(2s), at(0s));
    const auto due = owed.take_due(at(900ms));
    ASSERT_EQ(due.size(), 1U);
    EXPECT_TRUE(is_final(due[0].request));
    EXPECT_EQ(due[0].until, at(5s));
}

TEST(debts, of_a_release_stay_releases_until_something_else_is_owed) {
    debts owed;
    owed.add(0, release_of(1), at(5s), at(0s));
    owed.add(0, release_of(1), at(5s), at(0s));
    owed.add(1, release_of(1), at(5s), at(0s));
    owed.add(1, of(1, true), at(5s), at(0s)); // an acquire may be on its way
    const auto due = owed.take_due(at(500ms));
    ASSERT_EQ(due.size(), 2U);
    ASSERT_TRUE(std::holds_alternative<engine::release_op>(due[0].request));
    EXPECT_EQ(std::get<engine::release_op>(due[0].request).token, 7U);
    EXPECT_TRUE(is_final(due[1].request));
}

TEST(debts, of_a_ticket_that_asks_again_are_dropped) {
    debts owed;
    owed.add(0, of(1), at(5s), at(0s));
    owed.add(1, of(1), at(5s), at(0s));
    EXPECT_TRUE(owed.drop(0, {{}, 1}));
    EXPECT_FALSE(owed.drop(0, {{}, 1}));
    const auto due = owed.take_due(at(1s));
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].node, 1U);
}

TEST(debts, have_a_limit) {
    debts owed;
    owed.add(0, of(7), at(2s), at(0s)); // ends first
    for (std::uint64_t number = 100; number < 100 + debts::max_debts; ++number) {
        owed.add(0, of(number), at(10s), at(0s));
    }
    EXPECT_EQ(owed.size(), debts::max_debts);
    for (const auto& due : owed.take_due(at(1s))) {
        EXPECT_NE(engine::quorum::ticket_of(due.request).owner.number, 7U);
    }
}

TEST(debts, of_thousands_of_tickets_are_handled_one_by_one) { // P9
    debts owed;
    for (std::uint64_t round = 0; round < 4; ++round) {
        const auto now = at(500ms * static_cast<int>(round));
        for (const auto& due : owed.take_due(now)) {
            owed.add(due.node, due.request, due.until, now);
        }
        while (owed.size() < debts::max_debts) {
            owed.add(1, of(round * debts::max_debts + owed.size()), at(1h), now);
        }
    }
    EXPECT_EQ(owed.size(), debts::max_debts);
    for (std::uint64_t number = 0; number < debts::max_debts; ++number) {
        owed.add(2, of(1'000'000 + number), at(2h), at(10s)); // each drops one
    }
    EXPECT_EQ(owed.size(), debts::max_debts);
    owed.hurry(2, at(10s));
    EXPECT_EQ(owed.take_due(at(10s)).size(), debts::max_debts);
    EXPECT_EQ(owed.due(), base::never);
}

} // namespace
