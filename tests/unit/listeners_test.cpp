#include "holdfast/drive/listeners.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace {

/// Counts its instances.
struct listener {
    explicit listener(int initial) : value{initial} { ++alive; }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener() { --alive; }

    int value;
    holdfast::drive::listener_link<listener> listening{};
    static inline int alive = 0;
};

using listeners = holdfast::drive::listeners<listener>;

std::shared_ptr<listener> make(int value) { return std::make_shared<listener>(value); }

TEST(listeners, are_found_until_they_are_erased) {
    listeners all;
    EXPECT_EQ(all.find(7), nullptr);
    all.erase(7);
    const auto listener = make(70);
    all.set(7, listener);
    EXPECT_EQ(all.find(7), listener);
    EXPECT_EQ(all.find(8), nullptr);
    all.erase(8);
    EXPECT_EQ(all.size(), 1U);
    all.erase(7);
    EXPECT_EQ(all.find(7), nullptr);
    EXPECT_EQ(all.size(), 0U);
    EXPECT_EQ(listener.use_count(), 1) << "nothing is kept";
}

TEST(listeners, are_replaced_by_a_later_one_of_the_same_number) {
    listeners all;
    all.set(7, make(1));
    all.set(7, make(2));
    EXPECT_EQ(all.find(7)->value, 2);
    all.set(7, all.find(7));
    EXPECT_EQ(all.find(7)->value, 2);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(listener::alive, 1);
}

TEST(listeners, are_released_by_the_destructor) {
    {
        listeners all;
        for (std::uint64_t number = 1; number <= 1000; ++number) { all.set(number, make(0)); }
        EXPECT_EQ(listener::alive, 1000);
    }
    EXPECT_EQ(listener::alive, 0);
}

// It took over a minute without the hash: consecutive numbers filled neighbouring buckets.
TEST(listeners, that_stay_do_not_slow_down_those_that_are_added_and_erased) {
    constexpr std::uint64_t staying = 100'000;
    constexpr std::uint64_t passing = 250'000; // once round the table
    listeners all;
    std::uint64_t number = 0;
    while (number < staying) { all.set(++number, make(1)); }
    const auto start = std::clock(); // cpu time: other processes do not count
    for (; number < staying + passing; all.erase(number)) { all.set(++number, make(2)); }
    EXPECT_EQ(all.size(), staying);
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
}

TEST(listeners, behave_like_a_map) {
    std::mt19937 chance{4}; // NOLINT(bugprone-random-generator-seed): the same each time
    listeners all;
    std::map<std::uint64_t, int> model;
    for (int step = 0; step < 50'000; ++step) {
        const std::uint64_t number = 1 + chance() % 300 * (chance() % 2 == 0 ? 1 : 64);
        if (chance() % 2 == 0) {
            all.set(number, make(step));
            model[number] = step;
        } else {
            all.erase(number);
            model.erase(number);
        }
        ASSERT_EQ(all.size(), model.size());
        const auto number_sought = 1 + chance() % 300;
        const auto found = model.find(number_sought);
        const auto got = all.find(number_sought);
        ASSERT_EQ(got != nullptr, found != model.end());
        if (got != nullptr) { ASSERT_EQ(got->value, found->second); }
    }
    std::size_t seen = 0;
    all.visit_all([&](const listener& listener) { seen += listener.value >= 0 ? 1 : 0; });
    EXPECT_EQ(seen, model.size());
    for (const auto& [number, value] : model) { EXPECT_EQ(all.find(number)->value, value); }
}

TEST(listeners, may_be_added_and_erased_while_all_are_visited) {
    constexpr std::uint64_t count = 200;
    listeners all;
    for (std::uint64_t number = 1; number <= count; ++number) {
        all.set(number, make(static_cast<int>(number)));
    }
    std::vector<int> visits(count + 1);
    all.visit_all([&](const listener& listener) {
        if (listener.value < 0) { return; } // added meanwhile
        const auto number = static_cast<std::uint64_t>(listener.value);
        ++visits[number];
        all.erase(number);
        if (number % 3 == 0) { all.erase(number % count + 1); }
        if (number % 5 == 0) { all.set(number + count, make(-1)); }
    });
    std::size_t added = 0;
    for (std::uint64_t number = 1; number <= count; ++number) {
        if (number % 5 == 0 && visits[number] > 0) { ++added; }
        const bool erased_by_another = number > 1 && (number - 1) % 3 == 0;
        EXPECT_TRUE(visits[number] == 1 || (erased_by_another && visits[number] == 0)) << number;
        EXPECT_EQ(all.find(number), nullptr);
    }
    EXPECT_EQ(all.size(), added);
}

} // namespace
