#include "holdfast/drive/listeners.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace {

/// Counts those that are alive.
struct listener {
    explicit listener(int what) : value{what} { ++alive; }
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

TEST(listeners, the_last_with_a_number_counts) {
    listeners all;
    all.set(7, make(1));
    all.set(7, make(2));
    EXPECT_EQ(all.find(7)->value, 2);
    all.set(7, all.find(7));
    EXPECT_EQ(all.find(7)->value, 2);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(listener::alive, 1);
}

TEST(listeners, are_let_go_in_the_end) {
    {
        listeners all;
        for (std::uint64_t number = 1; number <= 1000; ++number) { all.set(number, make(0)); }
        EXPECT_EQ(listener::alive, 1000);
    }
    EXPECT_EQ(listener::alive, 0);
}

// Took over a minute when each number stood where it counted to.
TEST(listeners, that_stay_do_not_get_in_the_way_of_those_who_come_and_go) {
    constexpr std::uint64_t who_stay = 100'000;
    constexpr std::uint64_t who_go = 250'000; // once round the table
    listeners all;
    std::uint64_t number = 0;
    while (number < who_stay) { all.set(++number, make(1)); }
    const auto start = std::chrono::steady_clock::now();
    for (; number < who_stay + who_go; all.erase(number)) { all.set(++number, make(2)); }
    EXPECT_EQ(all.size(), who_stay);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{30});
}

TEST(listeners, are_as_a_map_would_be) {
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
        const auto asked = 1 + chance() % 300;
        const auto found = model.find(asked);
        const auto got = all.find(asked);
        ASSERT_EQ(got != nullptr, found != model.end());
        if (got != nullptr) { ASSERT_EQ(got->value, found->second); }
    }
    std::size_t seen = 0;
    all.visit_all([&](const listener& listener) { seen += listener.value >= 0 ? 1 : 0; });
    EXPECT_EQ(seen, model.size());
    for (const auto& [number, what] : model) { EXPECT_EQ(all.find(number)->value, what); }
}

TEST(listeners, may_come_and_go_while_all_are_told) {
    constexpr std::uint64_t many = 200;
    listeners all;
    for (std::uint64_t number = 1; number <= many; ++number) {
        all.set(number, make(static_cast<int>(number)));
    }
    std::vector<int> told(many + 1);
    all.visit_all([&](const listener& listener) {
        if (listener.value < 0) { return; } // added meanwhile
        const auto number = static_cast<std::uint64_t>(listener.value);
        ++told[number];
        all.erase(number);
        if (number % 3 == 0) { all.erase(number % many + 1); }
        if (number % 5 == 0) { all.set(number + many, make(-1)); }
    });
    std::size_t added = 0;
    for (std::uint64_t number = 1; number <= many; ++number) {
        if (number % 5 == 0 && told[number] > 0) { ++added; }
        const bool erased_by_another = number > 1 && (number - 1) % 3 == 0;
        EXPECT_TRUE(told[number] == 1 || (erased_by_another && told[number] == 0)) << number;
        EXPECT_EQ(all.find(number), nullptr);
    }
    EXPECT_EQ(all.size(), added);
}

} // namespace
