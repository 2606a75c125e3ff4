// late_acquires: when an unwanted acquire that may still arrive is withdrawn.

#include "holdfast/engine/redis/layout/polling/late_acquires.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using holdfast::base::instant;
using holdfast::base::never;
using holdfast::base::owner_id;
using holdfast::engine::redis::late_acquires;

class redis_late_acquires : public testing::Test {
protected:
    [[nodiscard]] static owner_id owner(std::uint64_t number) { return {{}, number}; }
    void add(std::uint64_t number, holdfast::base::duration delay) {
        all.add({"stock", owner(number), {}}, now + delay, now);
    }
    [[nodiscard]] std::vector<late_acquires::entry> take_due(instant at) {
        return all.take_due(at, [this](const auto& /*ticket*/) { return reachable; });
    }
    void mark_unwanted(std::uint64_t number) { all.mark_unwanted(owner(number), false, now); }
    /// Goes on to when something is due; the numbers that are withdrawn then.
    std::vector<std::uint64_t> next() {
        now = all.due();
        std::vector<std::uint64_t> out;
        for (const auto& entry : take_due(now)) { out.push_back(entry.ticket.owner.number); }
        return out;
    }

    late_acquires all;
    bool reachable = true;
    instant now{1h};
};

TEST_F(redis_late_acquires, are_not_withdrawn_before_they_are_unwanted) {
    add(7, 10s);
    EXPECT_EQ(all.due(), never);
    EXPECT_EQ(all.may_arrive_for(owner(7), now), 10s);
    EXPECT_EQ(all.may_arrive_for(owner(8), now), 0s);
    EXPECT_EQ(all.may_arrive_for(owner(7), now + 11s), 0s);
    EXPECT_TRUE(take_due(now + 9s).empty());
    EXPECT_FALSE(all.empty());
    EXPECT_TRUE(take_due(now + 11s).empty());
    EXPECT_TRUE(all.empty()) << "it cannot arrive any more";
}

TEST_F(redis_late_acquires, are_withdrawn_within_a_second_until_they_cannot_arrive) {
    const auto end = now + late_acquires::longest_delay;
    add(7, late_acquires::longest_delay);
    mark_unwanted(7);
    int withdrawals = 0;
    while (!all.empty()) {
        const auto before = now;
        ASSERT_THAT(next(), testing::ElementsAre(7));
        EXPECT_LE(now - before, withdrawals < 19 ? 250ms : 1s);
        ++withdrawals;
    }
    EXPECT_GT(now, end) << "once more when nothing can follow";
    EXPECT_EQ(all.due(), never);
    EXPECT_LT(withdrawals, 140);
}

TEST_F(redis_late_acquires, of_one_ticket_count_as_one_and_until_the_last_can_arrive) {
    add(7, 1s);
    add(7, 3s);
    add(7, 2s);
    EXPECT_EQ(all.may_arrive_for(owner(7), now), 3s);
    mark_unwanted(7);
    EXPECT_THAT(next(), testing::ElementsAre(7));
}

TEST_F(redis_late_acquires, that_are_marked_unwanted_twice_are_withdrawn_no_later) {
    add(7, 10s);
    mark_unwanted(7);
    const auto due = all.due();
    now += 200ms;
    mark_unwanted(7);
    EXPECT_EQ(all.due(), due);
}

TEST_F(redis_late_acquires, are_kept_longer_if_the_server_was_away) {
    add(7, 1s);
    mark_unwanted(7);
    now += 60s;
    all.resume(now);
    EXPECT_GT(all.may_arrive_for(owner(7), now), 4s) << "it may be in the server's buffer";
    EXPECT_LE(all.due(), now) << "at once";
}

TEST_F(redis_late_acquires, of_a_server_that_cannot_be_reached_are_withdrawn_when_it_can) {
    add(7, 1s);
    mark_unwanted(7);
    reachable = false;
    EXPECT_TRUE(take_due(now + 60s).empty());
    EXPECT_EQ(all.due(), never) << "nothing to do until then";
    EXPECT_FALSE(all.empty());
    now += 61s;
    reachable = true;
    all.resume(now);
    EXPECT_LE(all.due(), now);
    ASSERT_EQ(take_due(now).size(), 1U);
    EXPECT_FALSE(all.empty()) << "it may be in the server's buffer";
}

TEST_F(redis_late_acquires, that_the_server_refuses_are_withdrawn_no_more) {
    add(7, 10s);
    add(8, 10s);
    mark_unwanted(7);
    mark_unwanted(8);
    all.forget(owner(7));
    EXPECT_THAT(next(), testing::ElementsAre(8));
    all.forget(owner(8));
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.due(), never);
}

TEST_F(redis_late_acquires, are_limited_in_number) { // P9
    for (std::uint64_t number = 0; number <= late_acquires::max_entries; ++number) {
        add(number, 10s);
    }
    EXPECT_EQ(all.may_arrive_for(owner(0), now), 0s) << "the oldest is forgotten";
    EXPECT_EQ(all.may_arrive_for(owner(1), now), 10s);
    EXPECT_EQ(all.may_arrive_for(owner(late_acquires::max_entries), now), 10s);
}

TEST_F(redis_late_acquires, are_left_alone_when_their_ticket_asks_again) {
    add(7, 10s);
    all.mark_unwanted(owner(7), true, now);
    const auto due = take_due(all.due());
    ASSERT_EQ(due.size(), 1U);
    EXPECT_TRUE(due[0].asks_again) << "its withdrawal must leave no memory";
    all.mark_wanted(owner(7));
    EXPECT_TRUE(take_due(now + 9s).empty());
    mark_unwanted(7);
    EXPECT_FALSE(take_due(now + 9s).at(0).asks_again);
}

TEST_F(redis_late_acquires, that_cannot_arrive_any_more_are_dropped_first) {
    for (std::uint64_t number = 0; number < late_acquires::max_entries; ++number) {
        add(number, 1s);
    }
    now += 2s;
    add(5'000, 10s);
    EXPECT_EQ(all.may_arrive_for(owner(0), now - 2s), 0s);
    EXPECT_EQ(all.may_arrive_for(owner(5'000), now), 10s);
}

} // namespace
