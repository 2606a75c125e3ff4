#include "holdfast/drive/listeners.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>

namespace {

using holdfast::drive::listeners;

TEST(listeners, are_found_until_they_are_erased) {
    listeners<std::shared_ptr<int>> all;
    EXPECT_EQ(all.find(7), nullptr);
    all.erase(7);
    const auto who = std::make_shared<int>(70);
    all.set(7, who);
    ASSERT_NE(all.find(7), nullptr);
    EXPECT_EQ(*all.find(7), who);
    EXPECT_EQ(all.find(8), nullptr);
    all.erase(8);
    EXPECT_EQ(all.size(), 1U);
    all.erase(7);
    EXPECT_EQ(all.find(7), nullptr);
    EXPECT_EQ(all.size(), 0U);
    EXPECT_EQ(who.use_count(), 1) << "nothing is kept";
}

TEST(listeners, the_last_with_a_number_counts) {
    listeners<int> all;
    all.set(7, 1);
    all.set(7, 2);
    EXPECT_EQ(*all.find(7), 2);
    EXPECT_EQ(all.size(), 1U);
}

// Took over a minute when each number stood where it counted to.
TEST(listeners, that_stay_do_not_get_in_the_way_of_those_who_come_and_go) {
    constexpr std::uint64_t who_stay = 100'000;
    constexpr std::uint64_t who_go = 250'000; // once round the table
    listeners<int> all;
    std::uint64_t number = 0;
    while (number < who_stay) { all.set(++number, 1); }
    const auto start = std::chrono::steady_clock::now();
    for (; number < who_stay + who_go; all.erase(number)) { all.set(++number, 2); }
    EXPECT_EQ(all.size(), who_stay);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{2});
}

TEST(listeners, are_as_a_map_would_be) {
    std::mt19937 chance{4}; // NOLINT(bugprone-random-generator-seed): the same each time
    listeners<int> all;
    std::map<std::uint64_t, int> model;
    for (int step = 0; step < 50'000; ++step) {
        const std::uint64_t number = 1 + chance() % 300 * (chance() % 2 == 0 ? 1 : 64);
        if (chance() % 2 == 0) {
            all.set(number, step);
            model[number] = step;
        } else {
            all.erase(number);
            model.erase(number);
        }
        ASSERT_EQ(all.size(), model.size());
        const auto asked = 1 + chance() % 300;
        const auto found = model.find(asked);
        const int* const got = all.find(asked);
        ASSERT_EQ(got != nullptr, found != model.end());
        if (got != nullptr) { ASSERT_EQ(*got, found->second); }
    }
    std::size_t seen = 0;
    all.each([&](int what) { seen += what >= 0 ? 1 : 0; });
    EXPECT_EQ(seen, model.size());
    for (const auto& [number, what] : model) { EXPECT_EQ(*all.find(number), what); }
}

} // namespace
