// Notices and answers that overtake one another, come late, twice or never.

#include "holdfast/machine/waiter_machine.hpp"
#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using outcome = waiter_machine::outcome;
using enum wait_event;

constexpr wait_plan for_ever{.may_wait = true};

struct waiter {
    explicit waiter(const wait_plan& plan = for_ever) : machine{plan} {}
    std::string operator()(wait_event event, double now, double sent = 0) {
        const auto todo = machine.on({.event = event, .token = 7, .sent = at(sent)}, at(now));
        return words(machine, todo);
    }
    waiter_machine machine;
};

waiter queued_at(double now) {
    waiter one;
    one(start, now - 10);
    one(queued, now);
    return one;
}

TEST(waiter_order, p2_a_hand_off_counts_from_the_last_request_that_was_answered_queued) {
    auto one = queued_at(10);
    EXPECT_EQ(one(push_granted, 400), "done, tell handed 2000 since 0");

    auto other = queued_at(10);
    other(tick, 510);
    other(beat_queued, 530, 512);
    EXPECT_EQ(other(push_granted, 900), "done, tell handed 2000 since 512");
}

TEST(waiter_order, a_hand_off_lasts_no_longer_than_a_short_lease) {
    waiter one{{.may_wait = true, .lease = 1500ms}};
    one(start, 0);
    one(queued, 10);
    EXPECT_EQ(one(push_granted, 400), "done, tell handed 1500 since 0");
}

TEST(waiter_order, p2_a_hand_off_that_is_too_short_for_the_margin_is_asked_for_again) {
    for (const auto margin : {999ms, 1000ms, 14'999ms}) {
        waiter one{{.may_wait = true, .margin = margin}};
        one(start, 0);
        one(queued, 10);
        if (margin == 999ms) {
            EXPECT_EQ(one(push_granted, 400), "done, tell handed 2000 since 0");
        } else {
            EXPECT_EQ(one(push_granted, 400), "asking, ask until 5400");
            EXPECT_EQ(one(granted, 410), "done, tell granted 30000 since 400");
        }
    }
}

TEST(waiter_order, a_notice_may_come_before_its_own_queued_answer) {
    waiter one;
    one(start, 0);
    EXPECT_EQ(one(push_granted, 5), "done, tell handed 2000 since 0");
    EXPECT_EQ(one(queued, 10), "done") << "the late answer changes nothing";
    EXPECT_EQ(one(push_granted, 20), "done") << "nor does a second notice";
}

TEST(waiter_order, a_notice_may_come_while_the_lost_answer_is_got_over) {
    waiter one;
    one(start, 0);
    one(unknown, 100);
    EXPECT_EQ(one(push_granted, 150), "done, tell handed 2000 since 0");
}

TEST(waiter_order, a_beat_tells_of_a_hand_off_whose_notice_was_lost) {
    auto one = queued_at(10);
    one(tick, 510);
    EXPECT_EQ(one(beat_granted, 520, 511), "done, tell handed 2000 since 0");
}

TEST(waiter_order, a_grant_that_is_too_old_to_be_of_use_is_asked_for_again) {
    auto one = queued_at(10);
    EXPECT_EQ(one(push_granted, 1377), "done, tell handed 2000 since 0");

    auto late = queued_at(10);
    EXPECT_EQ(late(push_granted, 1378), "asking, ask until 6378") << "valid, but not for long";
    EXPECT_EQ(late(granted, 1390), "done, tell granted 30000 since 1378");

    auto stopped = queued_at(10);
    stopped(tick, 510);
    EXPECT_EQ(stopped(beat_granted, 60'000, 511), "asking, ask until 65000");

    waiter direct;
    direct(start, 0);
    EXPECT_EQ(direct(granted, 28'198), "asking, ask until 33198, @33198");
    EXPECT_EQ(direct(granted, 28'210), "done, tell granted 30000 since 28198");
}

TEST(waiter_order, p9_an_engine_whose_grants_always_come_too_late_is_given_up) {
    waiter one{{.may_wait = false, .lease = 100ms}};
    one(start, 0);
    auto now = 0.0;
    while (one.machine.result() == outcome::none) {
        ASSERT_LT(now, 6'000);
        now += 70;
        one(granted, now);
    }
    EXPECT_EQ(one.machine.result(), outcome::unavailable);
}

TEST(waiter_order, one_acquire_is_on_its_way_at_a_time) {
    waiter one;
    one(start, 0);
    EXPECT_EQ(one(push_granted, 4'000), "asking") << "too old, but the answer is still awaited";
    EXPECT_EQ(one(queued, 4'010), "asking, ask until 9010") << "it was about this";
    EXPECT_EQ(one(granted, 4'020), "done, tell granted 30000 since 4010");
}

TEST(waiter_order, p7_a_hint_that_overtakes_the_answer_is_not_lost) {
    waiter one;
    one(start, 0);
    EXPECT_EQ(one(push_maybe_free, 5), "asking");
    EXPECT_EQ(one(queued, 10), "asking, ask until 5010");

    waiter other;
    other(start, 0);
    other(push_maybe_free, 5);
    EXPECT_EQ(other(busy, 10), "asking, ask until 5010");
    EXPECT_EQ(other(busy, 20), "pausing, @70") << "but only once";
}

// Handed the lock at 100; its notice is stuck. At 2100 the engine gives the lock to another and
// forgets this waiter, which hears so by its beat and asks again.
TEST(waiter_order, p1_a_late_notice_of_a_hand_off_that_has_run_out_is_no_grant) {
    auto one = queued_at(10);
    one(tick, 2'200);
    one(beat_lost, 2'210, 2'201);
    EXPECT_EQ(one(push_granted, 2'215), "asking") << "asking again";
    EXPECT_EQ(one(queued, 2'220), "asking, ask until 7220") << "the notice may have been of this";
    EXPECT_EQ(one(queued, 2'230), "queued, @2730") << "it was not";
    EXPECT_EQ(one(push_granted, 2'240), "asking, ask until 7240") << "queued again: ask, as before";
    EXPECT_EQ(one(granted, 2'250), "done, tell granted 30000 since 2240");
}

TEST(waiter_order, p1_a_second_notice_of_a_hand_off_that_was_too_old_is_no_grant) {
    auto one = queued_at(10);
    EXPECT_EQ(one(push_granted, 1'900), "asking, ask until 6900");
    EXPECT_EQ(one(queued, 1'910), "queued, @2410") << "another has it by now";
    EXPECT_EQ(one(push_granted, 1'920), "asking, ask until 6920");
}

// The beat was answered "granted" at 520 and the answer delayed for over two seconds.
TEST(waiter_order, p1_a_beat_from_before_the_last_acquire_says_nothing_about_it) {
    auto one = queued_at(10);
    one(tick, 510);
    EXPECT_EQ(one(push_granted, 1'900), "asking, ask until 6900");
    one(queued, 1'910);
    EXPECT_EQ(one(beat_granted, 3'200, 511), "queued, @2410");
    EXPECT_EQ(one(tick, 3'200), "queued, beat, @4150") << "the next one counts";
    EXPECT_EQ(one(beat_granted, 3'210, 3'201), "done, tell handed 2000 since 1900");
}

TEST(waiter_order, p5_a_grant_after_the_caller_has_left_is_withdrawn) {
    for (const auto event : {granted, queued, unknown, push_granted}) {
        waiter one;
        one(start, 0);
        one(cancel, 10);
        EXPECT_EQ(one(withdrawn, 20), "done");
        EXPECT_EQ(one(event, 30), "withdrawing, withdraw") << static_cast<int>(event);
        EXPECT_EQ(one(withdrawn, 40), event == unknown ? "withdrawing, @5100" : "done");
        EXPECT_EQ(one.machine.result(), outcome::cancelled);
    }
}

// On its way to the engine the withdrawal overtook the acquire.
TEST(waiter_order, p5_a_grant_that_is_answered_before_the_withdrawal_is_withdrawn_once_more) {
    for (const auto event : {granted, queued, unknown}) {
        waiter one;
        one(start, 0);
        one(cancel, 10);
        EXPECT_EQ(one(event, 20), "withdrawing") << static_cast<int>(event);
        EXPECT_EQ(one(withdrawn, 30), "withdrawing, withdraw") << static_cast<int>(event);
        EXPECT_EQ(one(withdrawn, 40), event == unknown ? "withdrawing, @5100" : "done");
    }
}

// It was in the queue when it asked again, so it still is, or has been handed the lock by now.
TEST(waiter_order, p8_an_acquire_that_did_not_happen_leaves_what_was_there_before) {
    for (const auto event : {unavailable, refused}) {
        auto one = queued_at(10);
        one(push_maybe_free, 100);
        one(event, 101);
        if (event == unavailable) {
            EXPECT_EQ(one(cancel, 102), "withdrawing, withdraw, tell cancelled");
        } else {
            EXPECT_EQ(one.machine.state(), wait_state::withdrawing);
        }
    }
}

TEST(waiter_order, a_grant_is_not_withdrawn_by_its_own_late_answers) {
    for (const auto event : {granted, queued, unknown, busy, push_granted, beat_granted}) {
        waiter one;
        one(start, 0);
        one(push_granted, 10);
        EXPECT_EQ(one(event, 20), "done") << static_cast<int>(event);
    }
}

} // namespace
} // namespace holdfast::machine
