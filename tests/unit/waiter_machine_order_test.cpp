// The waiter machine with notices and answers that arrive out of order, late, twice or never.

#include "holdfast/machine/waiter_machine.hpp"
#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using outcome = waiter_machine::outcome;
using enum wait_event;

constexpr wait_plan for_ever{.may_wait = true};

struct test_waiter {
    explicit test_waiter(const wait_plan& plan = for_ever) : machine{plan} {}
    std::string operator()(wait_event event, double now, double sent = 0) {
        const auto actions = machine.on({.event = event, .token = 7, .sent = at(sent)}, at(now));
        return words(machine, actions);
    }
    waiter_machine machine;
};

test_waiter queued_at(double now) {
    test_waiter waiter;
    waiter(start, now - 10);
    waiter(queued, now);
    return waiter;
}

TEST(waiter_order, p2_a_hand_off_counts_from_the_last_request_that_was_answered_queued) {
    auto waiter = queued_at(10);
    EXPECT_EQ(waiter(push_granted, 400), "done, tell handed 2000 since 0");

    auto other = queued_at(10);
    other(tick, 510);
    other(beat_queued, 530, 512);
    EXPECT_EQ(other(push_granted, 900), "done, tell handed 2000 since 512");
}

TEST(waiter_order, a_hand_off_lasts_no_longer_than_a_short_lease) {
    test_waiter waiter{{.may_wait = true, .lease = 1500ms}};
    waiter(start, 0);
    waiter(queued, 10);
    EXPECT_EQ(waiter(push_granted, 400), "done, tell handed 1500 since 0");
}

TEST(waiter_order, p2_asks_again_if_a_hand_off_is_too_short_for_the_margin) {
    for (const auto margin : {999ms, 1000ms, 14'999ms}) {
        test_waiter waiter{{.may_wait = true, .margin = margin}};
        waiter(start, 0);
        waiter(queued, 10);
        if (margin == 999ms) {
            EXPECT_EQ(waiter(push_granted, 400), "done, tell handed 2000 since 0");
        } else {
            EXPECT_EQ(waiter(push_granted, 400), "asking, ask until 5400");
            EXPECT_EQ(waiter(granted, 410), "done, tell granted 30000 since 400");
        }
    }
}

TEST(waiter_order, a_notice_may_arrive_before_the_queued_answer) {
    test_waiter waiter;
    waiter(start, 0);
    EXPECT_EQ(waiter(push_granted, 5), "done, tell handed 2000 since 0");
    EXPECT_EQ(waiter(queued, 10), "done") << "the late answer changes nothing";
    EXPECT_EQ(waiter(push_granted, 20), "done") << "nor does a second notice";
}

TEST(waiter_order, a_notice_may_arrive_during_the_pause_after_a_lost_answer) {
    test_waiter waiter;
    waiter(start, 0);
    waiter(unknown, 100);
    EXPECT_EQ(waiter(push_granted, 150), "done, tell handed 2000 since 0");
}

TEST(waiter_order, a_beat_reports_a_hand_off_whose_notice_was_lost) {
    auto waiter = queued_at(10);
    waiter(tick, 510);
    EXPECT_EQ(waiter(beat_granted, 520, 511), "done, tell handed 2000 since 0");
}

TEST(waiter_order, asks_again_if_a_grant_has_nearly_expired) {
    auto waiter = queued_at(10);
    EXPECT_EQ(waiter(push_granted, 1377), "done, tell handed 2000 since 0");

    auto late = queued_at(10);
    EXPECT_EQ(late(push_granted, 1378), "asking, ask until 6378") << "valid, but not for long";
    EXPECT_EQ(late(granted, 1390), "done, tell granted 30000 since 1378");

    auto stopped = queued_at(10);
    stopped(tick, 510);
    EXPECT_EQ(stopped(beat_granted, 60'000, 511), "asking, ask until 65000");

    test_waiter direct;
    direct(start, 0);
    EXPECT_EQ(direct(granted, 28'198), "asking, ask until 33198, @33198");
    EXPECT_EQ(direct(granted, 28'210), "done, tell granted 30000 since 28198");
}

TEST(waiter_order, p9_an_engine_whose_grants_always_arrive_too_late_is_unavailable) {
    test_waiter waiter{{.may_wait = false, .lease = 100ms}};
    waiter(start, 0);
    auto now = 0.0;
    while (waiter.machine.result() == outcome::none) {
        ASSERT_LT(now, 6'000);
        now += 70;
        waiter(granted, now);
    }
    EXPECT_EQ(waiter.machine.result(), outcome::unavailable);
}

TEST(waiter_order, has_one_acquire_in_flight_at_a_time) {
    test_waiter waiter;
    waiter(start, 0);
    EXPECT_EQ(waiter(push_granted, 4'000), "asking") << "too old, but the answer is still awaited";
    EXPECT_EQ(waiter(queued, 4'010), "asking, ask until 9010") << "it was about this";
    EXPECT_EQ(waiter(granted, 4'020), "done, tell granted 30000 since 4010");
}

TEST(waiter_order, p7_a_hint_that_overtakes_the_answer_is_not_lost) {
    test_waiter waiter;
    waiter(start, 0);
    EXPECT_EQ(waiter(push_maybe_free, 5), "asking");
    EXPECT_EQ(waiter(queued, 10), "asking, ask until 5010");

    test_waiter other;
    other(start, 0);
    other(push_maybe_free, 5);
    EXPECT_EQ(other(busy, 10), "asking, ask until 5010");
    EXPECT_EQ(other(busy, 20), "pausing, @70") << "but only once";
}

// At 100 the waiter is handed the lock; its notice is delayed. At 2100 the engine grants the lock
// to another and drops this waiter. The waiter's next beat is answered `lost`, and it asks again.
TEST(waiter_order, p1_a_late_notice_of_an_expired_hand_off_is_no_grant) {
    auto waiter = queued_at(10);
    waiter(tick, 2'200);
    waiter(beat_lost, 2'210, 2'201);
    EXPECT_EQ(waiter(push_granted, 2'215), "asking") << "asking again";
    EXPECT_EQ(waiter(queued, 2'220), "asking, ask until 7220")
        << "the notice may have been of this";
    EXPECT_EQ(waiter(queued, 2'230), "queued, @2730") << "it was not";
    EXPECT_EQ(waiter(push_granted, 2'240), "asking, ask until 7240")
        << "queued again: ask, as before";
    EXPECT_EQ(waiter(granted, 2'250), "done, tell granted 30000 since 2240");
}

TEST(waiter_order, p1_a_second_notice_of_an_old_hand_off_is_no_grant) {
    auto waiter = queued_at(10);
    EXPECT_EQ(waiter(push_granted, 1'900), "asking, ask until 6900");
    EXPECT_EQ(waiter(queued, 1'910), "queued, @2410") << "another has it by now";
    EXPECT_EQ(waiter(push_granted, 1'920), "asking, ask until 6920");
}

// The beat was answered "granted" at 520 and the answer delayed for over two seconds.
TEST(waiter_order, p1_a_beat_that_was_sent_before_the_last_acquire_is_ignored) {
    auto waiter = queued_at(10);
    waiter(tick, 510);
    EXPECT_EQ(waiter(push_granted, 1'900), "asking, ask until 6900");
    waiter(queued, 1'910);
    EXPECT_EQ(waiter(beat_granted, 3'200, 511), "queued, @2410");
    EXPECT_EQ(waiter(tick, 3'200), "queued, beat, @4150") << "the next one counts";
    EXPECT_EQ(waiter(beat_granted, 3'210, 3'201), "done, tell handed 2000 since 1900");
}

TEST(waiter_order, p5_a_grant_after_the_caller_has_returned_is_withdrawn) {
    for (const auto event : {granted, queued, unknown, push_granted}) {
        test_waiter waiter;
        waiter(start, 0);
        waiter(cancel, 10);
        EXPECT_EQ(waiter(withdrawn, 20), "done");
        EXPECT_EQ(waiter(event, 30), "withdrawing, withdraw") << static_cast<int>(event);
        EXPECT_EQ(waiter(withdrawn, 40), event == unknown ? "withdrawing, @5100" : "done");
        EXPECT_EQ(waiter.machine.result(), outcome::cancelled);
    }
}

// The engine received the withdrawal before the acquire.
TEST(waiter_order, p5_a_grant_that_is_answered_before_the_withdrawal_is_withdrawn_again) {
    for (const auto event : {granted, queued, unknown}) {
        test_waiter waiter;
        waiter(start, 0);
        waiter(cancel, 10);
        EXPECT_EQ(waiter(event, 20), "withdrawing") << static_cast<int>(event);
        EXPECT_EQ(waiter(withdrawn, 30), "withdrawing, withdraw") << static_cast<int>(event);
        EXPECT_EQ(waiter(withdrawn, 40), event == unknown ? "withdrawing, @5100" : "done");
    }
}

// It was queued when it asked again, so it still is, or has been handed the lock.
TEST(waiter_order, p8_an_acquire_that_did_not_happen_leaves_the_earlier_queue_entry) {
    for (const auto event : {unavailable, refused}) {
        auto waiter = queued_at(10);
        waiter(push_maybe_free, 100);
        waiter(event, 101);
        if (event == unavailable) {
            EXPECT_EQ(waiter(cancel, 102), "withdrawing, withdraw, tell cancelled");
        } else {
            EXPECT_EQ(waiter.machine.state(), wait_state::withdrawing);
        }
    }
}

TEST(waiter_order, a_grant_is_not_withdrawn_by_its_own_late_answers) {
    for (const auto event : {granted, queued, unknown, busy, push_granted, beat_granted}) {
        test_waiter waiter;
        waiter(start, 0);
        waiter(push_granted, 10);
        EXPECT_EQ(waiter(event, 20), "done") << static_cast<int>(event);
    }
}

} // namespace
} // namespace holdfast::machine
