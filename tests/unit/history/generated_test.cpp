// Long made-up histories: a clean one passes, and no fault planted into it goes unnoticed.

#include "history/generator.hpp"
#include "history/line.hpp"
#include "history/parser.hpp"
#include "history/recorder.hpp"
#include "history/report.hpp"
#include "planted_faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace holdfast::history::testing {
namespace {

using namespace std::chrono_literals;

constexpr check_options strict{.starvation_bound = 5s, .fifo = true, .counter = true};

TEST(history_generated, is_clean_whatever_the_seed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto history = generate({.seed = seed, .processes = 10, .events = 2000});
        const auto found = check(history, strict);
        ASSERT_TRUE(found.empty()) << "seed " << seed << '\n' << describe(history, found);
    }
}

TEST(history_generated, has_every_event_and_is_the_same_each_time) {
    const auto history = generate({.events = 5000});
    const auto s = summarise(history);
    for (const auto count : {s.hand_offs, s.given_up, s.losses, s.kills, s.stops, s.breaks,
                             s.writes_accepted, s.writes_refused}) {
        EXPECT_GT(count, 10U);
    }
    const auto again = generate({.events = 5000});
    ASSERT_EQ(again.size(), history.size());
    for (std::size_t i = 0; i < history.size(); ++i) {
        ASSERT_EQ(to_line(again[i]), to_line(history[i]));
    }
}

TEST(history_generated, is_clean_in_whatever_order_the_lines_were_written) {
    auto history = generate({.events = 3000});
    // Events of one process stay in order: it writes them one after the other.
    std::ranges::stable_sort(history, {}, &event::pid);
    const auto found = check(history, strict);
    EXPECT_TRUE(found.empty()) << describe(history, found);
}

TEST(history_generated, means_the_same_after_writing_and_reading) {
    const auto history = generate({.events = 3000});
    std::stringstream file;
    for (const auto& e : history) { file << to_line(e); }
    const auto read = parse(file);
    EXPECT_TRUE(read.errors.empty());
    ASSERT_EQ(read.events.size(), history.size());
    EXPECT_TRUE(check(read.events, strict).empty());
}

class history_fault : public ::testing::TestWithParam<fault> {};

TEST_P(history_fault, is_found_wherever_it_is_planted) {
    const auto& planted = GetParam();
    std::mt19937_64 random{4711};
    int times = 0;
    for (std::uint64_t seed = 31; times < 12; ++seed) {
        ASSERT_LT(seed, 60U) << "too few places for it";
        const auto clean = generate({.seed = seed, .processes = 10, .events = 2000});
        for (int attempt = 0; attempt < 3; ++attempt) {
            auto history = clean;
            if (!planted.plant(history, random)) { break; }
            ++times;
            const auto found = check(history, strict);
            EXPECT_TRUE(std::ranges::any_of(
                found, [&](const auto& v) { return v.broken_rule == planted.shows_as; }))
                << "seed " << seed << ", attempt " << attempt << '\n'
                << describe(history, found);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(planted, history_fault, ::testing::ValuesIn(all_faults()),
                         [](const auto& each) { return each.param.name; });

TEST(history_fault, exists_for_every_rule) {
    std::set<rule> covered;
    for (const auto& f : all_faults()) { covered.insert(f.shows_as); }
    EXPECT_EQ(covered.size(), static_cast<std::size_t>(rule::incoherent) + 1);
}

/// Generous, for sanitizers and busy machines: what is quadratic takes minutes.
constexpr auto long_enough = 30s;

TEST(history_generated, is_checked_quickly_even_if_long) {
    const auto history = generate({.processes = 32, .names = 1, .events = 100'000});
    const auto before = now();
    const auto found = check(history, {.starvation_bound = 60s, .fifo = true, .counter = true});
    const auto took = now() - before;
    EXPECT_TRUE(found.empty()) << describe(history, found);
    EXPECT_LT(took, long_enough);
    RecordProperty("check_ms", static_cast<int>(took / 1ms));
}

} // namespace
} // namespace holdfast::history::testing
