// The verdict of the fault harness, and its picture, on fabricated histories.

#include "harness/verdict.hpp"

#include "harness/timeline_svg.hpp"

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using history::event;
using history::stamp;

/// Each hold is by another process and lasts for a second.
std::vector<event> two_holds(stamp first, stamp second) {
    std::vector<event> out;
    std::uint64_t token = 0;
    for (const stamp at : {first, second}) {
        const auto owner = std::to_string(++token);
        const event header{.at = at, .pid = static_cast<int>(token), .process = "client-" + owner};
        auto& request = out.emplace_back(header);
        request.type = history::requested{.name = "stock", .owner = owner, .lease = 1s};
        auto& grant = out.emplace_back(header);
        grant.type = history::granted{"stock", owner, token, at + 1s};
        auto& release = out.emplace_back(header);
        release.at = at + 900ms;
        release.type = history::released{"stock", owner};
    }
    return out;
}

injected_fault fault_of(bool keeps_proviso) {
    return {fault_kind::clock_step, 1s, 3s, {.keeps_proviso = keeps_proviso}};
}

TEST(fault_verdict, is_clean_without_an_overlap) {
    EXPECT_TRUE(judge(two_holds(1s, 2s), {fault_of(true)}, {}).is_clean());
}

TEST(fault_verdict, finds_two_holders_while_faults_keep_the_proviso) { // P1b
    const auto result = judge(two_holds(1s, 1500ms), {fault_of(true)}, {});
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations.front().broken_rule, history::rule::two_exclusive);
}

TEST(fault_verdict, excuses_two_holders_only_within_a_fault_that_breaks_the_proviso) { // P1b
    const auto within = judge(two_holds(1s, 1500ms), {fault_of(false)}, {});
    EXPECT_TRUE(within.is_clean());
    EXPECT_EQ(within.excused, 1U);
    EXPECT_FALSE(judge(two_holds(5s, 5500ms), {fault_of(false)}, {}).is_clean());
}

TEST(fault_verdict, never_excuses_a_stale_write) { // P3
    auto events = two_holds(1s, 2s);
    const auto write = [&](stamp at, std::uint64_t token) {
        events.push_back({.at = at,
                          .pid = static_cast<int>(token),
                          .type = history::wrote{"stock", std::to_string(token), token}});
    };
    write(2500ms, 2);
    write(2600ms, 1);
    const auto result = judge(events, {fault_of(false)}, {});
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations.front().broken_rule, history::rule::stale_write);
}

TEST(fault_verdict, never_excuses_a_loss_without_notice) { // P2
    auto events = two_holds(1s, 2500ms);
    std::erase_if(events, [](const event& event) {
        return event.pid == 1 && std::holds_alternative<history::released>(event.type);
    });
    const auto result = judge(events, {fault_of(false)}, {});
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations.front().broken_rule, history::rule::unreported_loss);
}

TEST(fault_verdict, excuses_an_older_epoch_of_a_reader_only_if_data_was_lost_in_between) {
    auto events = two_holds(1s, 2s);
    std::get<history::requested>(events.at(3).type).mode = history::mode::shared;
    std::get<history::granted>(events.at(1).type).token = 9; // of the writer
    const injected_fault loss{fault_kind::data_loss, 1950ms, 1960ms, {.loses_data = true}};
    const injected_fault earlier{fault_kind::data_loss, 500ms, 600ms, {.loses_data = true}};
    EXPECT_TRUE(judge(events, {loss}, {}).is_clean());
    const auto result = judge(events, {earlier}, {});
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations.front().broken_rule, history::rule::wrong_epoch);
    EXPECT_TRUE(judge(events, {earlier}, {.reader_tokens = false}).is_clean());
}

TEST(fault_verdict, names_clients_that_acquire_nothing_after_the_faults) { // P7
    const auto events = two_holds(1s, 2s);
    EXPECT_EQ(without_grant_since(events, {"client-1", "client-2"}, 1500ms),
              std::vector<std::string>{"client-1"});
    EXPECT_EQ(longest_gap(events), 1s);
}

TEST(fault_timeline, shows_each_lock_and_each_kind_of_fault) {
    const auto text = timeline_svg("redis", two_holds(1s, 2s), {fault_of(false)});
    EXPECT_TRUE(text.starts_with("<svg "));
    EXPECT_TRUE(text.ends_with("</svg>\n"));
    EXPECT_NE(text.find(">stock</text>"), std::string::npos);
    EXPECT_NE(text.find(">server clock step</text>"), std::string::npos);
    EXPECT_NE(text.find("#c0392b"), std::string::npos) << "the proviso does not hold";
}

TEST(fault_timeline, stays_small_however_many_holds_there_are) {
    std::vector<event> events;
    for (int number = 0; number < 50'000; ++number) {
        for (auto& each : two_holds(2s * number, 2s * number + 1s)) {
            events.push_back(std::move(each));
        }
    }
    EXPECT_LT(timeline_svg("long", events, {}).size(), 150'000U);
}

} // namespace
} // namespace holdfast::test
