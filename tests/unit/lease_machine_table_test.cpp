// The lease machine: every state with every event, before and after its deadline.

#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using base::milliseconds;
using enum lease_event;

// A lease of 3 s with a margin of 100 ms: N is 2868 after it was sent, renewal is due at 1000.
constexpr lease_terms terms{.lease = milliseconds{3000}, .margin = milliseconds{100}};

lease_machine held() { return {terms, {at(0), milliseconds{3000}, false}}; }

lease_machine with(lease_machine machine, lease_event event, double when, double event_time = 0,
                   int lease = 0) {
    machine.on({event, at(event_time), milliseconds{lease}}, at(when));
    return machine;
}

lease_machine not_renewed() {
    auto other_terms = terms;
    other_terms.renew = false;
    return {other_terms, {at(0), milliseconds{3000}, false}};
}

lease_machine handed() { return {terms, {at(0), milliseconds{2000}, true}}; }
lease_machine provisional() { return with(handed(), tick, 100); }

lease_machine at_max_hold() {
    auto other_terms = terms;
    other_terms.max_hold = milliseconds{3000};
    return {other_terms, {at(0), milliseconds{3000}, false}};
}

lease_machine renewing() { return with(held(), tick, 1000); }
lease_machine renewing_twice() { return with(renewing(), extend, 1050, 0, 1500); }
lease_machine troubled() { return with(renewing(), renewal_unknown, 1100); }
lease_machine releasing() { return with(held(), release, 500, 2500); }
lease_machine release_to_be_resent() { return with(releasing(), release_unknown, 600); }
lease_machine lost() { return with(held(), tick, 2868); }
lease_machine ended() { return with(releasing(), release_done, 600); }

struct state_of_hold {
    const char* name;
    lease_machine (*make)();
    double before;
    double after;
    const char* rows; ///< as parse_table reads them
};

constexpr std::array events{"tick",
                            "renewed",
                            "gone",
                            "renewal_unknown",
                            "taken",
                            "doubt",
                            "extend",
                            "abandon",
                            "release",
                            "release_done",
                            "release_void",
                            "release_unknown",
                            "release_refused",
                            "hurry"};

/// Renewals are answered 50 ms after they were sent for 3 s, and an extension asks for 1.5 s.
lease_input input(std::size_t number, double now) {
    const auto event = static_cast<lease_event>(number);
    switch (event) {
    case renewed: return {event, at(now - 50), milliseconds{3000}};
    case extend: return {event, {}, milliseconds{1500}};
    case release: return {event, at(now + 2000), {}};
    default: return {event, {}, {}};
    }
}

// clang-format off
const std::vector<state_of_hold> table{
    {"held", held, 500, 2868, R"(
        tick            | held, @1000                  | lost, tell expired
        renewed         | held, @1450                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @736.8        | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, renew 3000, @2868  | lost, tell expired
        extend          | renewing, renew 1500, @1883  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @1000
        release_void    | held, @1000
        release_unknown | held, @1000
        release_refused | held, @1000
        hurry           | held, @1000
     )"},
    {"held_and_due", held, 1000, 2868, R"(
        tick            | renewing, renew 3000, @2868  | lost, tell expired
        renewed         | held, @1950                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @1186.8       | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, renew 3000, @2868  | lost, tell expired
        extend          | renewing, renew 1500, @2383  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @1000
        release_void    | held, @1000
        release_unknown | held, @1000
        release_refused | held, @1000
        hurry           | held, @1000
     )"},
    {"not_renewed", not_renewed, 1000, 2868, R"(
        tick            | held, @2868                  | lost, tell expired
        renewed         | held, @3818                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @1186.8       | lost, tell expired
        taken           | lost, tell taken
        doubt           | held, @2868                  | lost, tell expired
        extend          | renewing, renew 1500, @2383  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @2868
        release_void    | held, @2868
        release_unknown | held, @2868
        release_refused | held, @2868
        hurry           | held, @2868
     )"},
    {"handed", handed, 100, 1878, R"(
        tick            | held, @220                   | lost, tell expired
        renewed         | held, @1050                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @277.8        | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, renew 3000, @1878  | lost, tell expired
        extend          | renewing, renew 1500, @1483  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @1878
        release_void    | held, @1878
        release_unknown | held, @1878
        release_refused | held, @1878
        hurry           | held, @1878
     )"},
    {"provisional", provisional, 230, 1878, R"(
        tick            | renewing, renew 3000, @1878  | lost, tell expired
        renewed         | held, @1180                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @394.8        | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, renew 3000, @1878  | lost, tell expired
        extend          | renewing, renew 1500, @1613  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @220
        release_void    | held, @220
        release_unknown | held, @220
        release_refused | held, @220
        hurry           | held, @220
     )"},
    {"at_max_hold", at_max_hold, 1200, 2868, R"(
        tick            | held, @2868                  | lost, tell max_hold
        renewed         | held, @3000                  | lost, release, tell max_hold
        gone            | lost, tell taken             | lost, tell max_hold
        renewal_unknown | held, trouble, @1366.8       | lost, tell max_hold
        taken           | lost, tell taken
        doubt           | held, @2868                  | lost, tell max_hold
        extend          | renewing, renew 1500, @2583  | lost, tell max_hold
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @2868
        release_void    | held, @2868
        release_unknown | held, @2868
        release_refused | held, @2868
        hurry           | held, @2868
     )"},
    {"renewing", renewing, 1100, 2868, R"(
        tick            | renewing, @2868              | lost, tell expired
        renewed         | held, @2050                  | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, trouble, @1276.8       | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, @2868              | lost, tell expired
        extend          | renewing, renew 1500, @2483  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | renewing, @2868
        release_void    | renewing, @2868
        release_unknown | renewing, @2868
        release_refused | renewing, @2868
        hurry           | renewing, @2868
     )"},
    {"renewing_twice", renewing_twice, 1100, 2433, R"(
        tick            | renewing, @2433              | lost, tell expired
        renewed         | renewing, @2433              | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | renewing, trouble, @2433     | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, @2433              | lost, tell expired
        extend          | renewing, renew 1500, @2433  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | renewing, @2433
        release_void    | renewing, @2433
        release_unknown | renewing, @2433
        release_refused | renewing, @2433
        hurry           | renewing, @2433
     )"},
    {"troubled", troubled, 1200, 2868, R"(
        tick            | held, @1276.8                | lost, tell expired
        renewed         | held, recovered, @2150       | lost, release, tell expired
        gone            | lost, tell taken             | lost, tell expired
        renewal_unknown | held, @1366.8                | lost, tell expired
        taken           | lost, tell taken
        doubt           | renewing, renew 3000, @2868  | lost, tell expired
        extend          | renewing, renew 1500, @2583  | lost, tell expired
        abandon         | lost, tell thread_exited
        release         | releasing, release
        release_done    | held, @1276.8
        release_void    | held, @1276.8
        release_unknown | held, @1276.8
        release_refused | held, @1276.8
        hurry           | renewing, renew 3000, @2868  | lost, tell expired
     )"},
    {"releasing", releasing, 600, 2868, R"(
        tick            | releasing
        renewed         | releasing
        gone            | releasing
        renewal_unknown | releasing
        taken           | releasing
        doubt           | releasing
        extend          | releasing
        abandon         | releasing
        release         | releasing
        release_done    | ended, released
        release_void    | ended, not_held
        release_unknown | releasing, @790              | ended, unknown
        release_refused | ended, refused
        hurry           | releasing
     )"},
    {"release_to_be_resent", release_to_be_resent, 700, 2500, R"(
        tick            | releasing, @790              | ended, unknown
        renewed         | releasing, @790
        gone            | releasing, @790
        renewal_unknown | releasing, @790
        taken           | releasing, @790
        doubt           | releasing, @790
        extend          | releasing, @790
        abandon         | releasing, @790
        release         | releasing, @790
        release_done    | ended, released
        release_void    | ended, not_held
        release_unknown | releasing, @880              | ended, unknown
        release_refused | ended, refused
        hurry           | releasing, release           | ended, unknown
     )"},
    {"lost", lost, 2900, 6000, R"(
        tick            | lost
        renewed         | lost, release
        gone            | lost
        renewal_unknown | lost
        taken           | lost
        doubt           | lost
        extend          | lost
        abandon         | lost
        release         | lost
        release_done    | lost
        release_void    | lost
        release_unknown | lost
        release_refused | lost
        hurry           | lost
     )"},
    {"ended", ended, 700, 3000, R"(
        tick            | ended, released
        renewed         | ended, released
        gone            | ended, released
        renewal_unknown | ended, released
        taken           | ended, released
        doubt           | ended, released
        extend          | ended, released
        abandon         | ended, released
        release         | ended, released
        release_done    | ended, released
        release_void    | ended, released
        release_unknown | ended, released
        release_refused | ended, released
        hurry           | ended, released
     )"},
};
// clang-format on

class lease_machine_table : public testing::TestWithParam<state_of_hold> {
protected:
    static std::string reaction(std::size_t event, double now) {
        auto machine = GetParam().make();
        const auto actions = machine.on(input(event, now), at(now));
        return words(machine, actions);
    }
};

TEST_P(lease_machine_table, follows_the_table_for_each_state_and_event) {
    const auto rows = parse_table(GetParam().rows);
    ASSERT_EQ(rows.size(), events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        ASSERT_EQ(rows.at(i).event, events.at(i));
        EXPECT_EQ(reaction(i, GetParam().before), rows.at(i).before)
            << events.at(i) << " at " << GetParam().before;
        EXPECT_EQ(reaction(i, GetParam().after), rows.at(i).after)
            << events.at(i) << " at " << GetParam().after;
    }
}

// P2: loss is final.
TEST_P(lease_machine_table, p2_no_event_makes_an_invalid_lease_valid) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        for (const auto now : {GetParam().before, GetParam().after}) {
            auto machine = GetParam().make();
            const bool was_valid = machine.valid(at(now));
            machine.on(input(i, now), at(now));
            EXPECT_TRUE(was_valid || !machine.valid(at(now))) << events.at(i) << " at " << now;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(states, lease_machine_table, testing::ValuesIn(table),
                         [](const auto& row) { return std::string{row.param.name}; });

} // namespace
} // namespace holdfast::machine
