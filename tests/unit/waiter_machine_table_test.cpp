// The waiter machine: every state with every event, before and after its time-out.

#include "unit/machine_words.hpp"
#include "unit/waiter_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using base::milliseconds;
using enum wait_event;

// A lease of 3 s with a margin of 100 ms: a grant is valid for 2868 from its request, a hand-off
// for 1878. The time-out is at 8000, connect_wait is 5000.
constexpr wait_plan patient{.may_wait = true,
                            .give_up = at(8000),
                            .connect_wait = milliseconds{5000},
                            .lease = milliseconds{3000},
                            .margin = milliseconds{100}};

waiter_machine with(waiter_machine machine, wait_event event, double now) {
    machine.on({.event = event, .token = 7, .sent = at(now - 10)}, at(now));
    return machine;
}

waiter_machine idle() { return waiter_machine{patient}; }
waiter_machine one_try() {
    auto plan = patient;
    plan.may_wait = false;
    plan.once = true;
    plan.connect_wait = milliseconds{1000};
    return with(waiter_machine{plan}, start, 0);
}
waiter_machine asking() { return with(idle(), start, 0); }
waiter_machine no_answer() { return with(asking(), unknown, 100); }
waiter_machine asking_after_no_answer() { return with(no_answer(), tick, 200); }
waiter_machine was_busy() { return with(asking(), busy, 10); }
waiter_machine in_queue() { return with(asking(), queued, 10); }
waiter_machine beating() { return with(in_queue(), tick, 510); }
waiter_machine asking_again() { return with(beating(), beat_lost, 600); }
waiter_machine in_queue_again() { return with(asking_again(), queued, 650); }
waiter_machine withdrawing() { return with(in_queue(), cancel, 300); }
waiter_machine withdrawing_again() { return with(withdrawing(), withdraw_failed, 400); }
waiter_machine with_grant() { return with(asking(), granted, 10); }
waiter_machine gone() { return with(withdrawing(), withdrawn, 310); }

struct state_of_wait {
    const char* name;
    waiter_machine (*make)();
    double before;
    double after;
    const char* rows;
};

constexpr std::array states{
    state_of_wait{"idle", idle, 0, 8000, waiter_table::idle},
    state_of_wait{"one_try", one_try, 100, 3000, waiter_table::one_try},
    state_of_wait{"asking", asking, 100, 8000, waiter_table::asking},
    state_of_wait{"no_answer", no_answer, 150, 8000, waiter_table::no_answer},
    state_of_wait{"asking_after_no_answer", asking_after_no_answer, 300, 8000,
                  waiter_table::asking_after_no_answer},
    state_of_wait{"was_busy", was_busy, 30, 8000, waiter_table::was_busy},
    state_of_wait{"in_queue", in_queue, 300, 8000, waiter_table::in_queue},
    state_of_wait{"beating", beating, 590, 8000, waiter_table::beating},
    state_of_wait{"asking_again", asking_again, 640, 8000, waiter_table::asking_again},
    state_of_wait{"in_queue_again", in_queue_again, 700, 8000, waiter_table::in_queue_again},
    state_of_wait{"withdrawing", withdrawing, 310, 5300, waiter_table::withdrawing},
    state_of_wait{"withdrawing_again", withdrawing_again, 450, 5300,
                  waiter_table::withdrawing_again},
    state_of_wait{"with_grant", with_grant, 20, 8000, waiter_table::with_grant},
    state_of_wait{"gone", gone, 320, 8000, waiter_table::gone},
};

constexpr std::array events{"start",
                            "tick",
                            "cancel",
                            "granted",
                            "queued",
                            "busy",
                            "unknown",
                            "unavailable",
                            "refused",
                            "push_granted",
                            "push_maybe_free",
                            "push_reset",
                            "beat_queued",
                            "beat_granted",
                            "beat_lost",
                            "beat_unknown",
                            "withdrawn",
                            "withdraw_failed",
                            "hurry"};

class waiter_machine_table : public testing::TestWithParam<state_of_wait> {
protected:
    static std::string reaction(std::size_t event, double now) {
        auto machine = GetParam().make();
        const auto actions = machine.on(
            {.event = static_cast<wait_event>(event), .token = 7, .sent = at(now - 10), .ahead = 0},
            at(now));
        return words(machine, actions);
    }
};

TEST_P(waiter_machine_table, follows_the_table_for_each_state_and_event) {
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

TEST_P(waiter_machine_table, p8_requests_only_a_withdrawal_once_the_caller_has_returned) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        auto machine = GetParam().make();
        if (machine.result() == waiter_machine::outcome::none) { continue; }
        const auto actions =
            machine.on({.event = static_cast<wait_event>(i), .token = 7}, at(9000));
        EXPECT_FALSE(actions.ask || actions.beat || actions.finish) << events.at(i);
    }
}

INSTANTIATE_TEST_SUITE_P(states, waiter_machine_table, testing::ValuesIn(states),
                         [](const auto& row) { return std::string{row.param.name}; });

} // namespace
} // namespace holdfast::machine
