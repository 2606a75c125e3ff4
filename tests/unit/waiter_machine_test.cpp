// The waiter machine in sequences of events; p1 to p9 in a name is the promise that it checks.
// waiter_machine_order_test.cpp has those where notices and answers arrive out of order.

#include "holdfast/machine/waiter_machine.hpp"

#include "unit/machine_words.hpp"

#include <gtest/gtest.h>

#include <vector>

// compiled alone: other files of the folder have helpers of the same names

namespace holdfast::machine {
namespace {

using namespace std::chrono_literals;
using base::milliseconds;
using base::never;
using state = wait_state;
using outcome = waiter_machine::outcome;
using enum wait_event;

constexpr wait_plan for_ever{.may_wait = true};
constexpr wait_plan one_try{.may_wait = false, .once = true, .connect_wait = milliseconds{1000}};
constexpr wait_plan until(double ms) { return {.may_wait = true, .give_up = at(ms)}; }

/// A waiter machine and its last actions.
struct test_waiter {
    explicit test_waiter(const wait_plan& plan) : machine{plan} {}
    std::string operator()(wait_event event, double now) {
        return feed({.event = event, .token = 7, .sent = at(now)}, now);
    }
    std::string feed(const wait_input& input, double now) {
        actions = machine.on(input, at(now));
        return words(machine, actions);
    }
    waiter_machine machine;
    waiter_machine::actions actions;
};

TEST(waiter_machine, a_free_lock_is_granted_by_the_first_answer) {
    test_waiter waiter{for_ever};
    EXPECT_EQ(waiter(start, 0), "asking, ask until 5000");
    EXPECT_EQ(waiter(granted, 3), "done, tell granted 30000 since 0");
    EXPECT_EQ(waiter.machine.granted().token, 7U);
}

TEST(waiter_machine, a_try_of_a_held_lock_is_busy_and_leaves_nothing_behind) {
    test_waiter waiter{one_try};
    waiter(start, 0);
    EXPECT_EQ(waiter(busy, 3), "done, tell busy");
}

TEST(waiter_machine, p5_an_acquire_must_not_be_granted_after_the_callers_time_out) {
    test_waiter patient{until(60'000)};
    EXPECT_EQ(patient(start, 0), "asking, ask until 5000, @60000");
    test_waiter hasty{until(200)};
    EXPECT_EQ(hasty(start, 0), "asking, ask until 200, @200");
}

TEST(waiter_machine, p7_beats_twice_a_second_at_the_front_and_once_further_back) {
    for (const auto& [ahead, pause] : {std::pair{0U, 500}, {3U, 500}, {4U, 950}, {900U, 950}}) {
        test_waiter waiter{for_ever};
        waiter(start, 0);
        waiter.feed({.event = queued, .ahead = ahead}, 10);
        EXPECT_EQ(waiter.actions.wake, at(10 + pause)) << ahead;
        waiter(tick, 10 + pause);
        EXPECT_TRUE(waiter.actions.beat);
        waiter.feed({.event = beat_queued, .sent = at(10 + pause), .ahead = ahead}, 2000);
        EXPECT_EQ(waiter.actions.wake, at(2000 + pause)) << ahead;
    }
}

TEST(waiter_machine, beats_earlier_if_the_engine_gives_a_check_in_time) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter.feed({.event = queued, .check_in = 120ms}, 10);
    EXPECT_EQ(waiter.actions.wake, at(130));
    waiter.feed({.event = beat_queued, .sent = at(130), .check_in = 1ns}, 140);
    EXPECT_EQ(waiter.actions.wake, at(145)) << "P9: but not in a hot loop";
    waiter.feed({.event = beat_queued, .sent = at(145), .check_in = 10s}, 150);
    EXPECT_EQ(waiter.actions.wake, at(650)) << "and never later than usual";
}

TEST(waiter_machine, without_a_place_on_the_engine_asks_again_when_the_engine_says) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter.feed({.event = queued, .check_in = 3s, .no_place = true}, 10);
    EXPECT_EQ(waiter.actions.wake, at(3010)) << "retry_min of a quorum may be long";
    EXPECT_EQ(waiter(tick, 3010), "queued, beat, @3960");
    EXPECT_EQ(waiter(beat_lost, 3010), "asking, ask until 8010");
    waiter.feed({.event = queued, .check_in = 3s, .no_place = true}, 3020);
    EXPECT_EQ(waiter(push_maybe_free, 3100), "asking, ask until 8100") << "or sooner";
}

TEST(waiter_machine, sends_one_beat_at_a_time) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    EXPECT_EQ(waiter(tick, 510), "queued, beat, @1460");
    EXPECT_EQ(waiter(tick, 1460), "queued, @2410");
    EXPECT_EQ(waiter(push_reset, 1500), "queued, @2450");
    waiter(beat_queued, 1600);
    EXPECT_EQ(waiter(tick, 2100), "queued, beat, @3050");
}

TEST(waiter_machine, p7_beats_at_once_when_notices_may_have_been_missed) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    EXPECT_EQ(waiter(push_reset, 100), "queued, beat, @1050");
}

TEST(waiter_machine, asks_again_when_the_queue_has_dropped_it) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    waiter(tick, 510);
    EXPECT_EQ(waiter(beat_lost, 520), "asking, ask until 5520");
    EXPECT_EQ(waiter(granted, 530), "done, tell granted 30000 since 520");
}

TEST(waiter_machine, asks_again_on_a_hint) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    EXPECT_EQ(waiter(push_maybe_free, 300), "asking, ask until 5300");
    EXPECT_EQ(waiter(queued, 310), "queued, @810");
    EXPECT_EQ(waiter(push_maybe_free, 400), "asking, ask until 5400");
    EXPECT_EQ(waiter(granted, 410), "done, tell granted 30000 since 400");
}

TEST(waiter_machine, polls_an_engine_without_a_queue) {
    test_waiter waiter{until(1000)};
    waiter(start, 0);
    EXPECT_EQ(waiter(busy, 10), "pausing, @60");
    EXPECT_EQ(waiter(tick, 60), "asking, ask until 1000, @1000");
    EXPECT_EQ(waiter(busy, 980), "pausing, @1000");
    EXPECT_EQ(waiter(tick, 1000), "done, tell timed_out");
}

TEST(waiter_machine, p7_asks_as_another_owner_when_its_ticket_has_ended) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    EXPECT_EQ(waiter(push_maybe_free, 300), "asking, ask until 5300");
    EXPECT_EQ(waiter.feed({.event = busy, .ticket_ended = true}, 310),
              "pausing, another owner, @360");
    EXPECT_EQ(waiter(tick, 360), "asking, ask until 5360");
    EXPECT_EQ(waiter(queued, 370), "queued, @870");
    EXPECT_EQ(waiter(push_granted, 500), "done, tell handed 2000 since 360")
        << "the new owner asked once, so the message is about that";
}

TEST(waiter_machine, p5_nothing_of_an_ended_ticket_is_withdrawn) {
    test_waiter waiter{until(2000)};
    waiter(start, 0);
    waiter(unknown, 100);
    waiter(tick, 200);
    EXPECT_EQ(waiter.feed({.event = busy, .ticket_ended = true}, 210),
              "pausing, another owner, @260");
    EXPECT_EQ(waiter(cancel, 220), "done, tell cancelled");
}

TEST(waiter_machine, an_answer_that_its_ticket_has_ended_is_definite_even_if_it_is_read_late) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    EXPECT_EQ(waiter.feed({.event = busy, .ticket_ended = true}, 6000),
              "pausing, another owner, @6050");
}

TEST(waiter_machine, a_heartbeat_of_an_ended_ticket_says_nothing_of_the_next) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    waiter(tick, 510);
    waiter(push_maybe_free, 520);
    waiter.feed({.event = busy, .ticket_ended = true}, 530);
    waiter(tick, 580);
    waiter(queued, 590);
    EXPECT_EQ(waiter(beat_lost, 600), "queued, @1090");
}

TEST(waiter_machine, p5_a_resent_acquire_counts_from_the_first_send) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unknown, 900);
    waiter(tick, 1000);
    EXPECT_EQ(waiter(granted, 1010), "done, tell granted 30000 since 0");
}

TEST(waiter_machine, p5_an_unavailable_try_does_not_change_the_time_of_an_earlier_one) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unknown, 900);
    waiter(tick, 1000);
    waiter(unavailable, 1001);
    waiter(tick, 1101);
    EXPECT_EQ(waiter(granted, 1110), "done, tell granted 30000 since 0");
}

TEST(waiter_machine, an_unavailable_acquire_counts_from_the_next_send) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unavailable, 10);
    waiter(tick, 110);
    EXPECT_EQ(waiter(granted, 120), "done, tell granted 30000 since 110");
}

TEST(waiter_machine, retries_an_unavailable_engine_for_connect_wait) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    auto now = 0.0;
    auto tries = 1;
    while (waiter.machine.state() != state::done) {
        ASSERT_LE(now, 5000);
        waiter(unavailable, now + 1);
        now = std::chrono::duration<double, std::milli>(waiter.actions.wake - at(0)).count();
        waiter(tick, now);
        tries += waiter.actions.ask ? 1 : 0;
    }
    EXPECT_EQ(waiter.machine.result(), outcome::unavailable);
    EXPECT_EQ(now, 5000);
    EXPECT_GT(tries, 40) << "P9: ten a second";
    EXPECT_FALSE(waiter.machine.outcome_unknown());
}

TEST(waiter_machine, p9_a_request_to_an_unreachable_engine_ends_with_connect_wait) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unavailable, 4'200);
    EXPECT_EQ(waiter(tick, 4'300), "asking, ask until 5000, @5000");
    EXPECT_EQ(waiter(tick, 5'000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_a_try_is_one_attempt) {
    test_waiter refused_connection{one_try};
    EXPECT_EQ(refused_connection(start, 0), "asking, ask until 1000");
    EXPECT_EQ(refused_connection(unavailable, 1), "done, tell unavailable");

    test_waiter unheard{one_try};
    unheard(start, 0);
    EXPECT_EQ(unheard(unknown, 1000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, a_try_is_repeated_once_if_its_connection_breaks) {
    test_waiter waiter{one_try};
    waiter(start, 0);
    EXPECT_EQ(waiter.feed({.event = unknown, .retry_now = true}, 3),
              "asking, ask until 1000, @1000");
    EXPECT_EQ(waiter(granted, 5), "done, tell granted 30000 since 0");

    test_waiter twice{one_try};
    twice(start, 0);
    twice.feed({.event = unavailable, .retry_now = true}, 3);
    EXPECT_EQ(twice.feed({.event = unavailable, .retry_now = true}, 5), "done, tell unavailable");

    test_waiter lost{one_try};
    lost(start, 0);
    lost.feed({.event = unknown, .retry_now = true}, 3);
    EXPECT_EQ(lost(unavailable, 5), "withdrawing, withdraw, tell unavailable")
        << "the first may have arrived";
}

TEST(waiter_machine, a_wait_may_be_limited_to_one_attempt) {
    test_waiter waiter{{.may_wait = true, .once = true, .connect_wait = milliseconds{1000}}};
    waiter(start, 0);
    EXPECT_EQ(waiter(unavailable, 1), "done, tell unavailable");

    test_waiter heard{{.may_wait = true, .once = true, .connect_wait = milliseconds{1000}}};
    heard(start, 0);
    heard(queued, 2);
    heard(tick, 502);
    EXPECT_EQ(heard.feed({.event = beat_unknown, .sent = at(502)}, 510), "queued, @610");
    EXPECT_EQ(heard.feed({.event = beat_unknown, .sent = at(610)}, 1'502),
              "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, connect_wait_restarts_with_each_answer) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unavailable, 4'000);
    waiter(tick, 4'100);
    waiter(queued, 4'110);
    waiter(tick, 4'610);
    EXPECT_EQ(waiter(beat_unknown, 5'600), "queued, @5700");
    waiter(tick, 5'700);
    EXPECT_EQ(waiter(beat_queued, 5'710), "queued, @6210");
    waiter(tick, 6'210);
    waiter(beat_unknown, 7'200);
    EXPECT_EQ(waiter(beat_unknown, 12'199), "queued, @12200");
    EXPECT_EQ(waiter(beat_unknown, 12'200), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_a_time_out_without_an_answer_is_not_contention) {
    test_waiter unheard{until(500)};
    unheard(start, 0);
    EXPECT_EQ(unheard(tick, 500), "withdrawing, withdraw, tell unavailable");
    EXPECT_TRUE(unheard.machine.outcome_unknown());

    test_waiter refused_connection{until(500)};
    refused_connection(start, 0);
    refused_connection(unavailable, 1);
    EXPECT_EQ(refused_connection(tick, 500), "done, tell unavailable");

    test_waiter gone_since{until(5'000)};
    gone_since(start, 0);
    gone_since(queued, 10);
    gone_since(beat_unknown, 1'000);
    EXPECT_EQ(gone_since(tick, 5'000), "withdrawing, withdraw, tell unavailable");
}

TEST(waiter_machine, p5_a_time_out_below_a_round_trip_still_waits_for_the_first_answer) {
    test_waiter in_line{until(1)};
    EXPECT_EQ(in_line(start, 0), "asking, ask until 100, @100") << "if it is on its way";
    EXPECT_EQ(in_line(tick, 1), "asking, @100");
    in_line(queued, 20);
    EXPECT_EQ(in_line(tick, 20), "withdrawing, withdraw, tell timed_out");

    test_waiter unheard{until(1)};
    unheard(start, 0);
    EXPECT_EQ(unheard(tick, 100), "withdrawing, withdraw, tell unavailable");

    test_waiter refused_connection{until(30)};
    refused_connection(start, 0);
    EXPECT_EQ(refused_connection(unavailable, 2), "pausing, @30") << "not longer than was asked";
    EXPECT_EQ(refused_connection(tick, 30), "done, tell unavailable");

    test_waiter longer{until(150)};
    longer(start, 0);
    longer(unavailable, 2);
    EXPECT_EQ(longer(tick, 102), "asking, ask until 150, @150") << "the moment is over";
}

TEST(waiter_machine, a_time_out_soon_after_an_answer_is_contention) {
    test_waiter in_line{until(500)};
    in_line(start, 0);
    in_line(queued, 10);
    EXPECT_EQ(in_line(tick, 500), "withdrawing, withdraw, tell timed_out");

    test_waiter asking_once_more{until(500)};
    asking_once_more(start, 0);
    asking_once_more(busy, 10);
    asking_once_more(tick, 60);
    asking_once_more(busy, 440);
    asking_once_more(tick, 495);
    asking_once_more(unknown, 500);
    EXPECT_EQ(asking_once_more(tick, 500), "withdrawing, withdraw, tell timed_out");
}

TEST(waiter_machine, p8_a_cancelled_wait_leaves_the_queue_in_each_state) {
    const std::vector<std::pair<std::vector<wait_event>, const char*>> ways{
        {{start}, "withdrawing, withdraw, tell cancelled"},
        {{start, queued}, "withdrawing, withdraw, tell cancelled"},
        {{start, unknown}, "withdrawing, withdraw, tell cancelled"},
        {{start, busy}, "done, tell cancelled"},
        {{start, unavailable}, "done, tell cancelled"},
        {{start, unknown, tick, unavailable}, "withdrawing, withdraw, tell cancelled"},
        {{start, unknown, tick, busy}, "withdrawing, withdraw, tell cancelled"},
    };
    for (const auto& [way, expected] : ways) {
        test_waiter waiter{for_ever};
        auto now = 0.0;
        for (const auto event : way) { waiter(event, now += 200); }
        EXPECT_EQ(waiter(cancel, now + 1), expected);
        EXPECT_EQ(waiter(cancel, now + 2).find("tell"), std::string::npos) << "reported once";
    }
}

TEST(waiter_machine, p5_a_single_try_withdraws_what_an_unanswered_acquire_may_have_left) {
    test_waiter waiter{one_try};
    waiter(start, 0);
    waiter.feed({.event = unknown, .retry_now = true}, 100);
    EXPECT_EQ(waiter(busy, 210), "withdrawing, withdraw, tell busy");

    test_waiter other{one_try};
    other(start, 0);
    other.feed({.event = unknown, .retry_now = true}, 100);
    EXPECT_EQ(other(refused, 210), "withdrawing, withdraw, tell refused");
}

TEST(waiter_machine, p5_withdraws_again_when_a_lost_acquire_can_no_longer_arrive) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(unknown, 100);
    waiter(cancel, 150);
    EXPECT_EQ(waiter(withdrawn, 160), "withdrawing, @5100") << "it was sent to count until 5000";
    EXPECT_EQ(waiter(tick, 5100), "withdrawing, withdraw");
    EXPECT_EQ(waiter(withdrawn, 5110), "done");

    test_waiter other{for_ever};
    other(start, 0);
    other(cancel, 50);
    other(unknown, 60); // the connection was lost meanwhile
    EXPECT_EQ(other(withdrawn, 70), "withdrawing, withdraw");
    EXPECT_EQ(other(withdrawn, 80), "withdrawing, @5100");
}

TEST(waiter_machine, p8_a_withdrawal_is_resent_until_the_queue_has_dropped_the_waiter) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(queued, 10);
    waiter(cancel, 100);
    EXPECT_EQ(waiter(withdraw_failed, 200), "withdrawing, @300");
    EXPECT_EQ(waiter(tick, 300), "withdrawing, withdraw");
    EXPECT_EQ(waiter(withdraw_failed, 5099), "withdrawing, @5199");
    EXPECT_EQ(waiter(tick, 5199), "withdrawing, withdraw");
    EXPECT_EQ(waiter(withdraw_failed, 5200), "done, tell withdraw_failed");
}

TEST(waiter_machine, p8_a_withdrawal_of_a_possible_hold_is_resent_until_its_lease_has_ended) {
    test_waiter waiter{one_try};
    waiter(start, 0);
    waiter(unknown, 1'000);
    EXPECT_EQ(waiter(withdraw_failed, 30'999), "withdrawing, @31099");
    waiter(tick, 31'099);
    EXPECT_EQ(waiter(withdraw_failed, 31'100), "done, tell withdraw_failed");
}

TEST(waiter_machine, a_new_acquire_resends_a_failed_withdrawal_at_once) {
    test_waiter waiter{for_ever};
    waiter(start, 0);
    waiter(cancel, 10);
    EXPECT_EQ(waiter(hurry, 20), "withdrawing") << "it is in flight";
    waiter(withdraw_failed, 30);
    EXPECT_TRUE(waiter.machine.must_resend_withdraw());
    EXPECT_EQ(waiter(hurry, 40), "withdrawing, withdraw");
    EXPECT_FALSE(waiter.machine.must_resend_withdraw());
    EXPECT_EQ(waiter(withdrawn, 50), "done");
}

} // namespace
} // namespace holdfast::machine
