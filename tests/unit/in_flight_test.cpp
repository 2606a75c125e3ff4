#include "holdfast/drive/in_flight.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace {

using holdfast::drive::in_flight;

TEST(in_flight, returns_each_entry_once) {
    in_flight<std::unique_ptr<int>> all;
    EXPECT_TRUE(all.empty());
    all.add(7, std::make_unique<int>(70));
    EXPECT_FALSE(all.take(6));
    EXPECT_FALSE(all.take(8));
    const auto got = all.take(7);
    ASSERT_TRUE(got);
    EXPECT_EQ(**got, 70);
    EXPECT_FALSE(all.take(7));
    EXPECT_TRUE(all.empty());
}

TEST(in_flight, keeps_an_old_entry_while_others_are_added_and_taken) {
    in_flight<int> all;
    all.add(1, 10);
    for (std::uint64_t number = 2; number < 1000; ++number) {
        all.add(number, static_cast<int>(number));
        EXPECT_EQ(all.take(number), static_cast<int>(number));
    }
    EXPECT_EQ(all.take(1), 10);
    EXPECT_TRUE(all.empty());
}

TEST(in_flight, behaves_like_a_map) {
    std::mt19937 chance{4}; // NOLINT(bugprone-random-generator-seed): the same each time
    in_flight<int> all;
    std::map<std::uint64_t, int> model;
    std::uint64_t last = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (chance() % 2 == 0) {
            last += 1 + chance() % 3; // gaps, as heartbeats leave them
            all.add(last, step);
            model.emplace(last, step);
        } else {
            const auto number = last - std::min<std::uint64_t>(last, chance() % 100);
            const auto found = model.find(number);
            const auto got = all.take(number);
            ASSERT_EQ(got.has_value(), found != model.end());
            if (got) {
                EXPECT_EQ(*got, found->second);
                model.erase(found);
            }
        }
        ASSERT_EQ(all.empty(), model.empty());
        const auto newest = all.find_last([](int /*entry*/) { return true; });
        ASSERT_EQ(newest.has_value(), !model.empty());
        if (newest) { EXPECT_EQ(*newest, model.rbegin()->first); }
    }
}

} // namespace
